"""The sandbox keys of the configuration: short forms, dangers, and what is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from agents.config.sections.sandbox_schema import SandboxDocument, sandbox_merged, size_bytes
from agents.config.services import config_apply, config_validate
from agents.selectors import agent_snapshot

pytestmark = pytest.mark.django_db


def report(sandbox: Any) -> Any:
    return config_validate(
        text=orjson.dumps({"agents": {"defaults": {"sandbox": sandbox}}}).decode()
    )


def problem(**docker: Any) -> str:
    found = report({"docker": docker}).errors
    return str(found[0]) if found else ""


def test_it_works() -> None:
    typed = SandboxDocument.model_validate({"mode": "all", "docker": {"memory": "512m"}})
    assert (typed.scope, typed.workspace_access, typed.docker.network) == ("agent", "none", "none")
    assert (typed.docker.cap_drop, typed.docker.read_only_root) == (["ALL"], True)
    assert (typed.prune.idle_hours, typed.prune.max_age_days) == (24, 7)
    assert report({"mode": "all", "docker": {"memory": "512m"}}).ok


@pytest.mark.parametrize(
    ("docker", "named"),
    [
        ({"network": "host"}, "network: host"),
        ({"network": " HOST "}, "network: host"),
        ({"network": "container:db"}, "dangerouslyAllowContainerNamespaceJoin"),
        ({"seccompProfile": "unconfined"}, "seccompProfile"),
        ({"seccompProfile": "seccomp.json"}, "seccompProfile"),
        ({"apparmorProfile": "Unconfined"}, "apparmorProfile"),
        ({"binds": ["/etc:/x"]}, "binds[0]"),
        ({"binds": ["/srv/a:/a", "/:/x"]}, "binds[1]"),
        ({"binds": ["data:/x"]}, "binds[0]"),
        ({"binds": ["/srv/a:/workspace/a"]}, "binds[0]"),
        ({"binds": ["/var/run/docker.sock:/s"]}, "binds[0]"),
        ({"env": {"OPENAI_API_KEY": "x"}}, "OPENAI_API_KEY"),
        ({"env": {"GITHUB_TOKEN": "x"}}, "GITHUB_TOKEN"),
        ({"env": {"db_password": "x"}}, "db_password"),
        ({"env": {"MY_SECRET": "x"}}, "MY_SECRET"),
        ({"env": {"A B": "x"}}, "'A B'"),
        ({"env": {"A": "x" * 32_769}}, "32768"),
        ({"memory": "lots"}, "memory"),
        ({"memorySwap": "1g"}, "memorySwap needs memory"),
        ({"memory": "1g", "memorySwap": "512m"}, "must not be smaller"),
        ({"user": "root"}, "user"),
        ({"ulimits": {"nofile": "many"}}, "ulimits"),
        ({"tmpfs": ["/workspace"]}, "tmpfs"),
        ({"pidsLimit": 0}, "pidsLimit"),
        ({"privileged": True}, "privileged"),
        ({"capAdd": ["SYS_ADMIN"]}, "capAdd"),
        ({"containerPrefix": "A B"}, "containerPrefix"),
    ],
)
def test_refused(docker: dict[str, Any], named: str) -> None:
    assert named in problem(**docker)


def test_flags_allow_and_are_warned_about(tmp_path: Path) -> None:
    docker = {
        "network": "container:db",
        "dangerouslyAllowContainerNamespaceJoin": True,
        "capDrop": [],
        "binds": [f"{tmp_path}:/workspace/data:ro"],
        "dangerouslyAllowReservedContainerTargets": True,
    }
    found = report({"docker": docker})
    assert found.ok
    warned = {issue.path.rpartition(".")[2] for issue in found.warnings}
    assert {"dangerouslyAllowContainerNamespaceJoin", "capDrop"} <= warned


@pytest.mark.parametrize(
    ("given", "mode"),
    [({"enabled": True}, "all"), ({"enabled": False}, "off"), ({}, "off"),
     ({"enabled": True, "mode": "non-main"}, "non-main")],
)  # fmt: skip
def test_the_short_form(given: dict[str, Any], mode: str) -> None:
    assert SandboxDocument.model_validate(given).mode == mode


def test_contradictions_and_other_backends() -> None:
    assert "contradict" in str(report({"enabled": True, "mode": "off"}).errors[0])
    assert "enabled" in str(report({"enabled": "yes"}).errors[0])
    assert "use docker" in str(report({"backend": "ssh"}).errors[0])
    assert "workspaceRoot" in str(report({"workspaceRoot": "var/x"}).errors[0])


def test_nul_bytes() -> None:
    with pytest.raises(ValueError, match="NUL"):
        SandboxDocument.model_validate({"docker": {"env": {"A": "x\0"}}})


def test_sizes() -> None:
    assert [size_bytes(text) for text in ("1", "2k", "3M", "1.5g", 7)] == [
        1, 2048, 3 << 20, 3 << 29, 7,
    ]  # fmt: skip


def test_an_agent_adds_to_the_defaults() -> None:
    base = {"enabled": True, "docker": {"memory": "1g", "env": {"A": "1"}}}
    merged = sandbox_merged(base, {"docker": {"env": {"B": "2"}}})
    assert merged == {"mode": "all", "docker": {"memory": "1g", "env": {"A": "1", "B": "2"}}}
    assert sandbox_merged(base, {"mode": "off"})["mode"] == "off"
    assert sandbox_merged(None, {"mode": "all"}) == {"mode": "all"}


def test_it_reaches_the_snapshot() -> None:
    config_apply(
        text="""{agents: {defaults: {sandbox: {mode: 'non-main', docker: {pidsLimit: 99}}},
          list: [{id: 'main', sandbox: {workspaceAccess: 'ro'}}]}}"""
    )
    stated = agent_snapshot(slug="main").settings["sandbox"]
    typed = SandboxDocument.model_validate(stated)
    assert (typed.mode, typed.workspace_access, typed.docker.pids_limit) == ("non-main", "ro", 99)
