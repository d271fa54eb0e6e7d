"""Which sandbox a session gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.sandbox.choice import SandboxPlan, config_hash, container_name, sandbox_plan

WS, HOME = Path("/srv/ws"), Path("/srv/home")


def plan(stated: Any, session: str = "agent:a:main") -> SandboxPlan | None:
    return sandbox_plan(
        {"sandbox": stated}, agent="a", session_key=session, workspace=WS, home=HOME
    )


def made(stated: Any, session: str = "agent:a:main") -> SandboxPlan:
    found = plan({"mode": "all", **stated}, session)
    assert found is not None
    return found


def test_it_works() -> None:
    assert plan(None) is None
    assert plan({"mode": "off"}) is None
    found = made({})
    assert (found.scope_key, found.folder.parent) == ("agent:a", HOME / "sandboxes")
    assert found.name.startswith("openclaw-sbx-agent-a-")


@pytest.mark.parametrize(
    ("session", "inside"),
    [
        ("agent:a:main", False),
        ("agent:a:web:1", True),
        ("agent:a:subagent:1", True),
        ("agent:a:main:thread:1", True),
        ("agent:b:main", True),
        ("global", True),
    ],
)
def test_non_main(session: str, inside: bool) -> None:
    assert (plan({"mode": "non-main"}, session) is not None) is inside


@pytest.mark.parametrize(
    ("scope", "key"), [("session", "agent:a:web:1"), ("agent", "agent:a"), ("shared", "shared")]
)
def test_scopes(scope: str, key: str) -> None:
    assert made({"scope": scope}, "agent:a:web:1").scope_key == key


@pytest.mark.parametrize(("access", "own"), [("none", True), ("ro", True), ("rw", False)])
def test_whose_folder_it_works_in(access: str, own: bool) -> None:
    found = made({"workspaceAccess": access})
    assert found.is_own_folder is own
    assert (found.folder == WS) is not own


@pytest.mark.parametrize(
    "stated", [{"mode": "sometimes"}, {"mod": "all"}, "all", [1], {"docker": {"network": "host"}}]
)
def test_settings_that_cannot_be_used_let_nothing_out(stated: Any) -> None:
    found = plan(stated)
    assert found is not None
    assert "sandbox" in found.fault


@given(st.text(max_size=400), st.sampled_from(["openclaw-sbx-", "x", "a" * 23]))
def test_names(scope: str, prefix: str) -> None:
    name = container_name(prefix, scope)
    assert len(name) <= 63
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-")
    assert name != container_name(prefix, scope + "x")


def test_the_hash_forgets_order_and_sees_changes() -> None:
    first = made({"docker": {"capDrop": ["ALL", "CHOWN"], "env": {"A": "1", "B": "2"}}}).config
    same = made({"docker": {"env": {"B": "2", "A": "1"}, "capDrop": ["CHOWN", "ALL"]}}).config
    other = made({"docker": {"capDrop": ["ALL"]}}).config
    assert config_hash(first, (), "1:1") == config_hash(same, (), "1:1")
    assert config_hash(first, (), "1:1") != config_hash(other, (), "1:1")
    assert config_hash(first, (), "1:1") != config_hash(first, (), "2:2")
    assert config_hash(first, (), "1:1") != config_hash(first, ("/x",), "1:1")
