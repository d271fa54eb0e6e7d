"""The tool update_plan."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.tools import ToolContext, ToolResult
from tools.builtin.update_plan import LONGEST_STEP, MOST_STEPS, UPDATE_PLAN


async def ignore(partial: ToolResult) -> None:
    """No listener."""


def updated(context: ToolContext, **arguments: Any) -> ToolResult:
    return asyncio.run(UPDATE_PLAN.execute("1", arguments, context, AbortSignal(), ignore))


def step(text: str, status: str = "pending") -> dict[str, str]:
    return {"step": text, "status": status}


def test_it_works(context: ToolContext) -> None:
    plan = [step("read", "completed"), step("write", "in_progress"), step("test")]
    result = updated(context, plan=plan, explanation=" Tests come last. ")
    assert blocks_text(result.content) == "The plan is shown: 1 of 3 steps done; now: write"
    assert result.details == {"plan": plan, "explanation": "Tests come last."}


def test_nothing_in_progress(context: ToolContext) -> None:
    result = updated(context, plan=[step("read", "completed")])
    assert blocks_text(result.content) == "The plan is shown: 1 of 1 steps done."


def test_a_step_is_one_line(context: ToolContext) -> None:
    result = updated(context, plan=[step(" a\n b\t")])
    assert result.details["plan"] == [step("a b")]


@pytest.mark.parametrize(
    ("plan", "named"),
    [
        (None, "plan:"),
        ([], "plan:"),
        ("read", "plan:"),
        ([step("x")] * (MOST_STEPS + 1), "at most 50"),
        (["read"], r"plan\[0\]:"),
        ([step("a"), {"status": "pending"}], "step: expected text"),
        ([step(" ")], r"plan\[0\].step"),
        ([step("x" * (LONGEST_STEP + 1))], r"plan\[0\].step"),
        ([step("a"), step("b", "done")], r"plan\[1\].status: use one of pending"),
        ([step("a", "in_progress"), step("b", "in_progress")], "the steps 0, 1 are all"),
    ],
)
def test_what_cannot_be_used_is_named(context: ToolContext, plan: Any, named: str) -> None:
    with pytest.raises(ToolError, match=named):
        updated(context, plan=plan)
