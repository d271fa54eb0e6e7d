"""Where a command runs, and who may leave the sandbox."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tools.exec_security.elevated import Asker, ElevatedRules, Gate, failing_gates
from tools.exec_security.hosts import Host, host_choose

OWNER = Asker("web", ("01OWNER", "Ada"), is_owner=True, agent="main")
OPEN = ElevatedRules(Gate(allow_from={"web": ["ada"], "telegram": ["*"]}))


def choose(
    arguments: dict[str, Any], *, sandboxed: bool = True, configured: str = "auto", level: str = "",
    rules: ElevatedRules = OPEN, asker: Asker = OWNER,
) -> Host:  # fmt: skip
    return host_choose(
        arguments, sandboxed=sandboxed, configured=configured, level=level, rules=rules, asker=asker
    )


def test_it_works() -> None:
    assert choose({}) == Host("sandbox")
    assert choose({}, sandboxed=False) == Host("gateway")
    assert choose({"elevated": True}) == Host("gateway", elevated=True)


@pytest.mark.parametrize(
    ("arguments", "options", "where"),
    [
        ({"host": "sandbox"}, {}, "sandbox"),
        ({"host": "auto"}, {"sandboxed": False}, "gateway"),
        ({"host": "gateway"}, {"sandboxed": False}, "gateway"),
        ({"elevated": False}, {"level": "full"}, "sandbox"),
        ({"elevated": False}, {}, "sandbox"),
        ({"elevated": True}, {"sandboxed": False}, "gateway"),
        ({}, {"configured": "gateway"}, "gateway"),
        ({}, {"configured": "sandbox"}, "sandbox"),
        ({}, {"level": "on"}, "gateway"),
        ({}, {"level": "off"}, "sandbox"),
    ],
)
def test_where(arguments: dict[str, Any], options: dict[str, Any], where: str) -> None:
    found = choose(arguments, **options)
    assert (found.where, found.problem) == (where, "")


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        ({"host": "node"}, {}, "no node"),
        ({}, {"configured": "node", "sandboxed": False}, "no node"),
        ({"host": "sandbox"}, {"sandboxed": False}, "has no sandbox"),
        ({}, {"configured": "sandbox", "sandboxed": False}, "has no sandbox"),
        ({"host": "gateway"}, {}, "needs elevated: true"),
        ({"elevated": True}, {"level": "off"}, "/elevated off"),
        ({"elevated": True}, {"rules": ElevatedRules()}, "tools.elevated.allowFrom.web"),
        ({}, {"rules": ElevatedRules(), "level": "full"}, "tools.elevated.allowFrom.web"),
    ],
)
def test_what_cannot_be(arguments: dict[str, Any], options: dict[str, Any], why: str) -> None:
    assert why in choose(arguments, **options).problem


def test_full_is_without_asking() -> None:
    assert choose({"elevated": True}, level="full").free
    assert not choose({"elevated": True}, level="ask").free
    assert choose({"elevated": True}, rules=replace(OPEN, level="full")).free
    assert choose({"elevated": True}, rules=replace(OPEN, level="off")).problem


@pytest.mark.parametrize(
    ("rules", "asker", "failing"),
    [
        (OPEN, OWNER, []),
        (OPEN, replace(OWNER, channel="telegram", names=("x",)), []),
        (OPEN, replace(OWNER, channel="ws"), ["tools.elevated.allowFrom.ws"]),
        (OPEN, replace(OWNER, names=("bob", "")), ["tools.elevated.allowFrom.web"]),
        (OPEN, replace(OWNER, is_owner=False), ["owners only"]),
        (
            replace(OPEN, everyone=Gate(enabled=False, allow_from=OPEN.everyone.allow_from)),
            OWNER,
            ["tools.elevated.enabled"],
        ),
        (
            replace(OPEN, agent=Gate(enabled=False, allow_from={})),
            OWNER,
            [
                "agents.list.main.tools.elevated.enabled",
                "agents.list.main.tools.elevated.allowFrom.web",
            ],
        ),
        (replace(OPEN, agent=Gate(allow_from={"web": ["01owner"]})), OWNER, []),
    ],
)
def test_both_gates(rules: ElevatedRules, asker: Asker, failing: list[str]) -> None:
    assert failing_gates(rules, asker) == failing
