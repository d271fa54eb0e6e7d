"""When a container may go."""

from __future__ import annotations

import pytest

from agents.config.sections.sandbox_schema import SandboxPrune
from tools.sandbox.prune import is_due

HOUR, DAY = 3_600.0, 86_400.0


def test_it_works() -> None:
    usual = SandboxPrune()
    assert not is_due(usual, idle=23 * HOUR, age=2 * DAY)
    assert is_due(usual, idle=25 * HOUR, age=2 * DAY)
    assert is_due(usual, idle=1 * HOUR, age=8 * DAY)


@pytest.mark.parametrize("age", [8 * DAY, 999 * DAY])
def test_one_that_was_used_just_now_stays(age: float) -> None:
    assert not is_due(SandboxPrune(), idle=200, age=age)


def test_zero_means_never() -> None:
    assert not is_due(SandboxPrune.model_validate({"idleHours": 0}), idle=99 * DAY, age=6 * DAY)
    assert not is_due(SandboxPrune.model_validate({"maxAgeDays": 0}), idle=1 * HOUR, age=999 * DAY)
    never = SandboxPrune.model_validate({"idleHours": 0, "maxAgeDays": 0})
    assert not is_due(never, idle=999 * DAY, age=999 * DAY)
