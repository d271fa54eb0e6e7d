"""The tool `update_plan`: the steps of a longer piece of work, for whoever watches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.arguments import text_argument

STATES = ("pending", "in_progress", "completed")
# A longer list is no plan that anybody reads.
MOST_STEPS = 50
LONGEST_STEP = 500
LONGEST_EXPLANATION = 2_000

_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "explanation": {
            "type": "string",
            "maxLength": LONGEST_EXPLANATION,
            "description": "Why the plan is as it is, or what changed.",
        },
        "plan": {
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_STEPS,
            "description": "All steps in order, those that are done included.",
            "items": {
                "type": "object",
                "properties": {
                    "step": {"type": "string", "minLength": 1, "maxLength": LONGEST_STEP},
                    "status": {"type": "string", "enum": list(STATES)},
                },
                "required": ["step", "status"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["plan"],
    "additionalProperties": False,
}


class UpdatePlanTool:
    """Shows a plan to whoever watches the conversation; each call replaces the plan before."""

    name = "update_plan"
    label = "Plan"
    description = (
        "Show the person a checklist of the steps of longer work, and how far it is. Give the "
        "whole plan each time. At most one step is in_progress."
    )
    parameters = _PARAMETERS
    repeatable = True
    execution: Literal["parallel", "sequential"] = "parallel"

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """How far the plan is; the plan itself in the details. Raises ToolError for a bad one."""
        plan = plan_read(arguments.get("plan"))
        explanation = ""
        if arguments.get("explanation") is not None:
            explanation = clean_text(text_argument(arguments, "explanation")).strip()
        return ToolResult.text(_progress(plan), plan=plan, explanation=explanation)


UPDATE_PLAN = UpdatePlanTool()


def plan_read(given: object) -> list[dict[str, str]]:
    """The steps as {step, status}. Raises ToolError that names what cannot be used."""
    if not isinstance(given, list) or not given:
        raise ToolError("plan: expected a list of steps with step and status.")
    if len(given) > MOST_STEPS:
        raise ToolError(f"plan: {len(given)} steps are too many; give at most {MOST_STEPS}.")
    plan = [_step(number, item) for number, item in enumerate(given)]
    active = [number for number, item in enumerate(plan) if item["status"] == "in_progress"]
    if len(active) > 1:
        raise ToolError(
            f"plan: the steps {', '.join(map(str, active))} are all in_progress; only one may be."
        )
    return plan


def _step(number: int, item: object) -> dict[str, str]:
    if not isinstance(item, Mapping):
        raise ToolError(f"plan[{number}]: expected an object with step and status.")
    step = " ".join(clean_text(text_argument(item, "step")).split())
    if not step or len(step) > LONGEST_STEP:
        raise ToolError(f"plan[{number}].step: expected 1 to {LONGEST_STEP} characters.")
    if item.get("status") not in STATES:
        raise ToolError(f"plan[{number}].status: use one of {', '.join(STATES)}.")
    return {"step": step, "status": str(item["status"])}


def _progress(plan: list[dict[str, str]]) -> str:
    done = sum(item["status"] == "completed" for item in plan)
    now = next((item["step"] for item in plan if item["status"] == "in_progress"), "")
    return f"The plan is shown: {done} of {len(plan)} steps done" + (
        f"; now: {now}" if now else "."
    )
