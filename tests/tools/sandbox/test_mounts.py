"""What a sandbox is given of the machine, and which path is which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from agents.core.errors import ToolError
from tools.sandbox.choice import SandboxPlan, sandbox_plan
from tools.sandbox.mounts import (
    host_paths,
    inside_path,
    mounts_of,
    outside_path,
    shown_path,
)


def made(workspace: Path, **stated: Any) -> SandboxPlan:
    found = sandbox_plan(
        {"sandbox": {"mode": "all", **stated}},
        agent="a",
        session_key="agent:a:main",
        workspace=workspace,
        home=Path(settings.OPENCLAW.home),
    )
    assert found is not None
    assert not found.fault
    return found


def mounted(workspace: Path, **stated: Any) -> dict[str, tuple[Path, bool]]:
    found = mounts_of(made(workspace, **stated), home=Path(settings.OPENCLAW.home))
    return {mount.target: (mount.source, mount.read_only) for mount in found}


def test_it_works(tmp_path: Path) -> None:
    folder = made(tmp_path).folder
    assert mounted(tmp_path) == {"/workspace": (folder, False)}
    assert mounted(tmp_path, workspaceAccess="ro") == {
        "/workspace": (folder, False),
        "/agent": (tmp_path, True),
    }
    assert mounted(tmp_path, workspaceAccess="rw") == {"/workspace": (tmp_path, False)}


@pytest.mark.parametrize("access", ["none", "ro", "rw"])
def test_skills_are_read_only(tmp_path: Path, access: str) -> None:
    skills = tmp_path / "skills"
    skills.mkdir()
    assert mounted(tmp_path, workspaceAccess=access)["/workspace/skills"] == (skills, True)


def test_skills_that_are_a_link_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/skills").symlink_to("/etc")
    assert "/workspace/skills" not in mounted(tmp_path / "ws")


def test_binds_stay_in_the_workspace_unless_allowed(tmp_path: Path) -> None:
    workspace, other = tmp_path / "ws", tmp_path / "other"
    for folder in (workspace / "data", other, tmp_path / "ws-sibling"):
        folder.mkdir(parents=True)
    inner = {"binds": [f"{workspace}/data:/data:ro"]}
    assert mounted(workspace, docker=inner)["/data"] == (workspace / "data", True)
    for source in (other, tmp_path / "ws-sibling"):
        outer = {"binds": [f"{source}:/data"]}
        with pytest.raises(ToolError, match="dangerouslyAllowExternalBindSources"):
            mounted(workspace, docker=outer)
        allowed = {**outer, "dangerouslyAllowExternalBindSources": True}
        assert mounted(workspace, docker=allowed)["/data"] == (source, False)


def test_a_link_that_was_made_later_is_found(tmp_path: Path) -> None:
    plan = made(tmp_path, docker={"binds": [f"{tmp_path}/data:/data"]})
    (tmp_path / "data").symlink_to("/etc")
    with pytest.raises(ToolError, match=r"binds\[0\].*/etc"):
        mounts_of(plan, home=Path(settings.OPENCLAW.home))


def test_the_gateways_secrets_stay_outside(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "workspace").mkdir(parents=True)
    (home / "secrets").mkdir()
    plan = made(home / "workspace", workspaceAccess="rw")
    assert mounts_of(plan, home=home)
    for source in (home, home / "secrets", tmp_path):
        docker = {"binds": [f"{source}:/x"], "dangerouslyAllowExternalBindSources": True}
        with pytest.raises(ToolError, match="secrets"):
            mounts_of(made(home / "workspace", docker=docker), home=home)


def test_paths_of_both_sides(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    plan = made(tmp_path, workspaceAccess="ro")
    mounts = mounts_of(plan, home=Path(settings.OPENCLAW.home))

    def inside(given: str) -> str:
        return inside_path(given, mounts)

    assert inside("a/b") == "/workspace/a/b"
    assert inside("~/a") == "/workspace/a"
    assert inside("/workspace/a") == "/workspace/a"
    assert inside("/tmp/x") == "/tmp/x"
    assert inside(f"{tmp_path}/a") == "/agent/a"
    assert inside(f"{plan.folder}/a") == "/workspace/a"
    assert inside(f"{tmp_path}-other/a") == f"{tmp_path}-other/a"
    assert inside("/workspace2/a") == "/workspace2/a"
    assert (shown_path("/workspace/a"), shown_path("/agent/a")) == ("a", "/agent/a")
    assert shown_path("/workspace2/a") == "/workspace2/a"


def test_a_gateway_in_a_container() -> None:
    paths = host_paths("/data=/srv/openclaw/, /data/deep=/mnt/deep")
    assert outside_path(Path("/data/ws"), paths) == "/srv/openclaw/ws"
    assert outside_path(Path("/data/deep/ws"), paths) == "/mnt/deep/ws"
    assert outside_path(Path("/database"), paths) == "/database"
    for text in ("data=/srv", "/data", "/data=srv"):
        with pytest.raises(ValueError, match="must read"):
            host_paths(text)
