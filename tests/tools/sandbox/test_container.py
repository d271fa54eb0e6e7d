"""What a container is, seen from inside and from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from agents.core.errors import ToolError
from agents.core.tools import ToolContext
from tests.tools.sandbox.conftest import Sandbox, Use, plan_in, text
from tools.models import SandboxContainer
from tools.sandbox.containers import container_find, containers_ours
from tools.sandbox.creation import container_options
from tools.sandbox.mounts import mounts_of

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]


def facts(turn: ToolContext) -> dict[str, Any]:
    found = container_find(plan_in(turn).name)
    assert found is not None
    return dict(found.attrs)


def test_it_works(sandbox: Sandbox, use: Use) -> None:
    """From inside."""
    turn = sandbox()
    status = text(use(turn, "exec", command="cat /proc/self/status"))
    for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb"):
        assert f"{name}:\t0000000000000000" in status
    assert "NoNewPrivs:\t1" in status
    assert "Seccomp:\t2" in status
    assert text(use(turn, "exec", command="ls /sys/class/net")) == "lo"
    mounts = text(use(turn, "exec", command="mount"))
    root = next(line for line in mounts.splitlines() if " on / " in line)
    assert "(ro," in root
    assert all("tmpfs" in line for line in mounts.splitlines() if " on /tmp " in line)
    for place in ("/x", "/bin/x", "/etc/x"):
        assert "Read-only" in text(use(turn, "exec", command=f"echo no > {place}"))
    for tried in ("mknod /tmp/d b 8 0", "mount -t tmpfs x /tmp", "chroot / true", "hostname x"):
        assert use(turn, "exec", command=tried).details["exitCode"] != 0
    assert "docker.sock" not in text(use(turn, "exec", command="find / -name '*.sock' -xdev"))


def test_from_outside(sandbox: Sandbox, use: Use, tmp_path: Path) -> None:
    turn = sandbox(
        docker={
            "pidsLimit": 64,
            "memory": "64m",
            "memorySwap": "96m",
            "cpus": 0.5,
            "ulimits": {"nofile": "128:256", "nproc": 99, "core": {"soft": 0, "hard": 0}},
            "extraHosts": ["box.example:192.0.2.1"],
        }
    )
    use(turn, "exec", command="true")
    host = facts(turn)["HostConfig"]
    assert host["CapDrop"] == ["ALL"]
    assert not host["CapAdd"]
    assert "no-new-privileges" in host["SecurityOpt"]
    assert (host["Privileged"], host["ReadonlyRootfs"], host["NetworkMode"]) == (
        False,
        True,
        "none",
    )
    assert (host["PidsLimit"], host["Memory"], host["MemorySwap"]) == (64, 64 << 20, 96 << 20)
    assert host["NanoCpus"] == 500_000_000
    assert set(host["Tmpfs"]) == {"/tmp", "/var/tmp", "/run"}
    limits = {one["Name"]: (one["Soft"], one["Hard"]) for one in host["Ulimits"]}
    assert limits == {"nofile": (128, 256), "nproc": (99, 99), "core": (0, 0)}
    assert host["Binds"] == [f"{plan_in(turn).folder}:/workspace:rw"]
    assert not host["Devices"]
    assert text(use(turn, "exec", command="ulimit -Sn")) == "128"


def test_the_user_is_the_owner_of_the_folder(sandbox: Sandbox, use: Use, tmp_path: Path) -> None:
    import os

    os.chown(tmp_path / "ws", 12345, 23456)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    turn = sandbox(workspaceAccess="rw")
    assert text(use(turn, "exec", command="id -u; id -g")) == "12345\n23456"
    use(turn, "write", path="mine", content="x")
    assert (tmp_path / "ws/mine").stat().st_uid == 12345


def test_names_and_labels(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox(scope="session", session="agent:main:web:1")
    turn = sandbox(scope="session")
    use(turn, "exec", command="true")
    labels = facts(turn)["Config"]["Labels"]
    assert labels["openclaw.sandbox"] == "1"
    assert labels["openclaw.sessionKey"] == "agent:main:main"
    row = SandboxContainer.objects.get(name=plan_in(turn).name)
    assert labels["openclaw.configHash"] == row.config_hash
    assert (row.scope_key, row.agent_slug) == ("agent:main:main", "main")


def test_nothing_of_the_gateways_environment_is_inside(
    sandbox: Sandbox, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-inside-never")
    turn = sandbox()
    use(turn, "exec", command="true")
    assert "sk-inside-never" not in str(facts(turn))
    said = text(use(turn, "exec", command="cat /proc/*/environ 2>/dev/null | tr '\\000' '\\n'"))
    assert "sk-inside-never" not in said
    assert "OPENCLAW_GATEWAY_TOKEN" not in said


def test_a_setup_command_runs_once(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox(docker={"setupCommand": "echo again >> /workspace/setup"})
    use(turn, "exec", command="true")
    assert text(use(turn, "exec", command="cat setup")) == "again"


def test_a_setup_command_that_fails_leaves_nothing(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox(docker={"setupCommand": "echo because; exit 7"})
    with pytest.raises(ToolError, match=r"setupCommand ended with code 7.*because"):
        use(turn, "exec", command="true")
    assert containers_ours(settings.OPENCLAW.home) == []


def test_an_image_that_is_missing(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox(docker={"image": "openclaw-test:none"})
    with pytest.raises(ToolError, match=r"openclaw-test:none is not there.*docker/sandbox"):
        use(turn, "exec", command="true")


def test_an_own_profile_of_system_calls(sandbox: Sandbox, use: Use, tmp_path: Path) -> None:
    profile = tmp_path / "p.json"
    profile.write_text(
        '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["mkdir", "mkdirat"], '
        '"action": "SCMP_ACT_ERRNO"}]}'
    )
    with pytest.raises(ToolError, match="seccompProfile"):
        use(sandbox(docker={"seccompProfile": str(tmp_path / "no.json")}), "exec", command="true")
    turn = sandbox(docker={"seccompProfile": str(profile)})
    assert "not permitted" in text(use(turn, "exec", command="mkdir x"))


def test_the_machine_cannot_do_it(sandbox: Sandbox, use: Use) -> None:
    from tools.sandbox.engine import engine_abilities

    if engine_abilities().apparmor:
        pytest.skip("this machine has AppArmor")
    with pytest.raises(ToolError, match=r"apparmorProfile: this machine cannot use AppArmor"):
        use(sandbox(docker={"apparmorProfile": "openclaw"}), "exec", command="true")


def test_nothing_else_is_asked_of_the_engine(sandbox: Sandbox) -> None:
    plan = plan_in(sandbox())
    plan.folder.mkdir(parents=True)
    mounts = mounts_of(plan, home=settings.OPENCLAW.home)
    assert set(container_options(plan, mounts, user="1:1")) == {
        "command", "entrypoint", "working_dir", "user", "environment", "read_only", "tmpfs",
        "cap_drop", "security_opt", "volumes", "dns", "extra_hosts", "network_mode", "detach",
    }  # fmt: skip
