"""What a sandbox must never be given, however it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.config.sections.sandbox_binds import bind_parse, source_problem, target_problem


def test_it_works(tmp_path: Path) -> None:
    bind = bind_parse(f"{tmp_path}:/data:ro")
    assert (bind.source, bind.target, bind.read_only) == (str(tmp_path), "/data", True)
    assert source_problem(bind.source) == ""
    assert target_problem(bind.target) == ""


@pytest.mark.parametrize(
    "source",
    [
        "/", "//", "/./", "/usr/..", "/etc", "/etc/", "//etc", "/etc/shadow", "/usr/../etc",
        "/private/etc", "/proc", "/proc/1/root", "/sys", "/sys/fs/cgroup", "/dev", "/dev/sda",
        "/root", "/root/x", "/boot", "/run", "/run/docker.sock", "/var/run", "/var/run/docker.sock",
        "/private/var/run", "/srv/docker.sock", "/srv/podman.sock/", "/srv/containerd.sock", "/var",
    ],
)  # fmt: skip
def test_system_folders_are_refused(source: str, tmp_path: Path) -> None:
    assert source_problem(source, home=tmp_path)


@pytest.mark.parametrize(
    "name", [".ssh", ".aws", ".cargo", ".config", ".docker", ".gnupg", ".netrc", ".npm", ".kube"]
)
def test_keys_of_a_person_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    assert source_problem(str(tmp_path / name), home=tmp_path)
    assert source_problem(str(tmp_path / name / "deeper"), home=tmp_path)
    assert "contains" in source_problem(str(tmp_path), home=tmp_path)
    assert source_problem(str(tmp_path / f"{name}-other"), home=tmp_path) == ""


def test_symlinks_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "deep").symlink_to(tmp_path / "link")
    for name in ("link", "link/ssl", "deep", "deep/not-there/yet"):
        assert "/etc" in source_problem(str(tmp_path / name), home=tmp_path / "home"), name


def test_siblings_are_not_confused(tmp_path: Path) -> None:
    for name in ("/etcetera", "/rooted", "/srv/docker.socket", "/devices", "/runner"):
        assert source_problem(name, home=tmp_path) == "", name


@pytest.mark.parametrize(
    "target",
    [
        "/", "/workspace", "/workspace/x", "/agent", "/agent/skills", "/proc", "/proc/self", "/sys",
        "/dev", "/dev/shm", "/x/../workspace", "/workspace/../agent/..",
    ],
)  # fmt: skip
def test_reserved_targets(target: str) -> None:
    assert target_problem(target)


def test_reserved_targets_can_be_allowed() -> None:
    assert target_problem("/workspace/data", reserved_allowed=True) == ""
    assert target_problem("/proc", reserved_allowed=True)
    assert target_problem("/workspace2") == ""


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "data:/data", "./data:/data", "~/data:/data", "/data", "/data:", ":/data",
        "/data:data", "/data:/d:x", "/data:/d:ro,rw", "/da\0ta:/d", "/data:/d:ro:rw", "C:\\x:/d",
        "volume:/d",
    ],
)  # fmt: skip
def test_malformed_binds(text: str) -> None:
    with pytest.raises(ValueError, match=r"must|no option|contradict"):
        bind_parse(text)
