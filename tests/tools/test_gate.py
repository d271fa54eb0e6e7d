"""The gate: every call is judged, and doubt means no."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agents.core.messages import ToolCall
from agents.core.principal import Principal
from agents.core.registry import Registry
from agents.core.tools import Allow, Deny, Park, ToolContext, ToolGate, Verdict
from tools import gate as gate_module
from tools.gate import JUDGES, Judge, PolicyGate
from tools.registry import register_builtin_tools

pytestmark = pytest.mark.django_db

register_builtin_tools()


def verdicts(context: ToolContext, *names: str) -> list[Verdict]:
    gate: ToolGate = PolicyGate()
    calls = [ToolCall(f"c{number}", name) for number, name in enumerate(names)]
    return asyncio.run(gate.judge(calls, context))


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch) -> Registry[Judge]:
    """A copy of the registry that a test may add to."""
    copy: Registry[Judge] = Registry("tool judge")
    for name, judge in JUDGES:
        copy.register(name, judge)
    monkeypatch.setattr(gate_module, "JUDGES", copy)
    return copy


@pytest.fixture
def guest(context: ToolContext) -> ToolContext:
    return replace(context, principal=Principal("p2"))


def test_it_works(context: ToolContext) -> None:
    assert verdicts(context, "read", "exec") == [Allow(), Allow()]


def test_owner_only_tools_are_denied_to_others(guest: ToolContext) -> None:
    allowed, denied = verdicts(guest, "read", "exec")
    assert allowed == Allow()
    assert isinstance(denied, Deny)
    assert "'owner only'" in denied.reason
    assert "'exec'" in denied.reason


def test_unknown_tools_are_denied_with_the_nearest_name(context: ToolContext) -> None:
    (denied,) = verdicts(context, "raed")
    assert isinstance(denied, Deny)
    assert "'known tools'" in denied.reason
    assert "'read'" in denied.reason


def test_a_denial_does_not_name_tools_that_the_caller_may_not_use(guest: ToolContext) -> None:
    (denied,) = verdicts(guest, "something_else")
    assert isinstance(denied, Deny)
    assert "exec" not in denied.reason


def test_the_strictest_judge_wins(judges: Registry[Judge], context: ToolContext) -> None:
    judges.register("yes", lambda call, context: Allow())
    judges.register("wait", lambda call, context: Park("first"))
    judges.register("also wait", lambda call, context: Park("second"))
    judges.register("no writes", lambda call, _: Deny("no") if call.name == "write" else None)
    assert verdicts(context, "read", "write") == [Park("first"), Deny("no")]


def broken(call: ToolCall, context: ToolContext) -> Verdict | None:
    raise ZeroDivisionError


def nonsense(call: ToolCall, context: ToolContext) -> Any:
    return True


@pytest.mark.parametrize("judge", [broken, nonsense, "no.such.module:judge"])
def test_a_judge_that_fails_denies(
    judges: Registry[Judge], context: ToolContext, judge: Judge | str
) -> None:
    judges.register("broken rule", judge)
    (denied,) = verdicts(context, "read")
    assert isinstance(denied, Deny)
    assert "'broken rule'" in denied.reason
