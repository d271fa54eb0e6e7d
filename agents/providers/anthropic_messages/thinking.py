"""How a model is told to think: by effort or, if it is older, by a budget of tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from agents.core.messages import ThinkingLevel
from agents.core.model import ModelRequest
from agents.providers.common.params import max_tokens

# "claude-opus-4-6", "claude-sonnet-5"; a date behind the major number is no minor number.
_VERSION = re.compile(r"claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?")
_OLD_NAME = re.compile(r"claude-\d")

# The first version that decides by itself how long to think.
_ADAPTIVE_SINCE = (4, 6)
# In that version the effort above "high" was still called "max".
_XHIGH_SINCE = (4, 7)

# Tokens by level, the reference's numbers; what is above "high" is the same budget.
BUDGETS: dict[ThinkingLevel, int] = {
    "minimal": 1_024,
    "low": 2_048,
    "medium": 8_192,
    "adaptive": 8_192,
    "high": 16_384,
    "xhigh": 16_384,
    "max": 16_384,
}
# The service's own minimum, and what is left for the answer when the budget would take all.
MIN_BUDGET = 1_024
ANSWER_RESERVE = 1_024

INTERLEAVED_BETA = "interleaved-thinking-2025-05-14"


@dataclass(frozen=True, slots=True)
class ThinkingPlan:
    """The request fields, the cap of the answer in tokens, and the beta that is needed."""

    max_tokens: int
    is_on: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    beta: str = ""


def thinking_plan(request: ModelRequest) -> ThinkingPlan:
    """What to send for the request's level."""
    cap = max_tokens(request)
    if not request.model.reasoning:
        return ThinkingPlan(cap)
    if request.thinking == "off":
        # Some models refuse to be told not to think; little is the least they can do.
        if request.model.compat.get("alwaysThinking"):
            return ThinkingPlan(cap, is_on=True, fields={"output_config": {"effort": "low"}})
        return ThinkingPlan(cap, fields={"thinking": {"type": "disabled"}})
    if is_adaptive(request):
        return ThinkingPlan(cap, is_on=True, fields=_adaptive_fields(request))
    return _budget_plan(request, cap)


def is_adaptive(request: ModelRequest) -> bool:
    """Whether the model decides by itself; `compat.adaptiveThinking` overrides its name."""
    stated = request.model.compat.get("adaptiveThinking")
    if stated is not None:
        return bool(stated)
    version = _version(request.model.id)
    return version is not None and version >= _ADAPTIVE_SINCE


def _version(model_id: str) -> tuple[int, int] | None:
    """The version in a Claude model's name; None for other models."""
    if _OLD_NAME.search(model_id):
        return (3, 0)
    found = _VERSION.search(model_id)
    return (int(found.group(1)), int(found.group(2) or 0)) if found else None


def _adaptive_fields(request: ModelRequest) -> dict[str, Any]:
    fields: dict[str, Any] = {"thinking": {"type": "adaptive", "display": "summarized"}}
    effort: str = request.thinking
    if effort == "minimal":
        effort = "low"
    if effort == "xhigh" and (_version(request.model.id) or _XHIGH_SINCE) < _XHIGH_SINCE:
        effort = "max"
    if effort != "adaptive":
        fields["output_config"] = {"effort": effort}
    return fields


def _budget_plan(request: ModelRequest, cap: int) -> ThinkingPlan:
    """The budget comes on top of the answer's cap as far as the model's limit allows."""
    budget = BUDGETS[request.thinking]
    total = min(cap + budget, request.model.max_tokens)
    if total <= budget:
        budget = max(0, total - ANSWER_RESERVE)
    if budget < MIN_BUDGET:
        return ThinkingPlan(cap, fields={"thinking": {"type": "disabled"}})
    fields = {"thinking": {"type": "enabled", "budget_tokens": budget}}
    return ThinkingPlan(total, is_on=True, fields=fields, beta=INTERLEAVED_BETA)
