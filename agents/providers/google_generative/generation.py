"""What the generations of Gemini models differ in, and how each is told to think."""

from __future__ import annotations

import re
from typing import Any

from agents.core.messages import ThinkingLevel
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.common.params import max_tokens

_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
_LATEST = re.compile(r"gemini-.*latest")
_NEWEST = (3, 1)

# Tokens by level, the reference's numbers; -1 leaves the budget to the model.
BUDGETS: dict[ThinkingLevel, int] = {
    "minimal": 1_024,
    "low": 2_048,
    "medium": 8_192,
    "adaptive": -1,
    "high": 16_384,
    "xhigh": 16_384,
    "max": 16_384,
}
# The least that 2.5 Pro takes: it cannot be told not to think.
_PRO_MINIMUM = 128
# What is left for the answer when the budget would take all.
_ANSWER_RESERVE = 1_024

_FLASH_LEVELS = {"off": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM"}
_PRO_LEVELS = {"off": "LOW", "minimal": "LOW", "low": "LOW", "medium": "MEDIUM"}


def version(model: ModelInfo) -> tuple[int, int]:
    """The generation of a Gemini model; (0, 0) for other models."""
    name = model.id.lower()
    if _LATEST.search(name):
        return _NEWEST
    found = _VERSION.search(name)
    return (int(found.group(1)), int(found.group(2) or 0)) if found else (0, 0)


def is_third(model: ModelInfo) -> bool:
    """Whether the model is of the generation that signs its calls, gives them ids, and sees
    images in results. `compat.gemini3` overrides its name."""
    stated = model.compat.get("gemini3")
    return version(model) >= (3, 0) if stated is None else bool(stated)


def thinking_fields(request: ModelRequest) -> dict[str, Any]:
    """The fields of generationConfig for the thinking level and the cap of the answer."""
    cap = max_tokens(request)
    if not request.model.reasoning:
        return {"maxOutputTokens": cap}
    if is_third(request.model):
        level = _level(request)
        shown = {"includeThoughts": request.thinking != "off", "thinkingLevel": level}
        return {"maxOutputTokens": cap, "thinkingConfig": shown}
    return _budget_fields(request, cap)


def _is_pro(model: ModelInfo) -> bool:
    return "pro" in model.id.lower()


def _level(request: ModelRequest) -> str:
    model = request.model
    levels = _PRO_LEVELS if _is_pro(model) else _FLASH_LEVELS
    # The first Pro of this generation knows only the two ends.
    if request.thinking == "medium" and _is_pro(model) and version(model) < _NEWEST:
        return "HIGH"
    if request.thinking == "adaptive":
        return "HIGH"
    return levels.get(request.thinking, "HIGH")


def _budget_fields(request: ModelRequest, cap: int) -> dict[str, Any]:
    """Thoughts count as output here, so a budget comes on top of the cap as far as possible."""
    if request.thinking == "off":
        budget = _PRO_MINIMUM if _is_pro(request.model) else 0
        return {"maxOutputTokens": cap, "thinkingConfig": {"thinkingBudget": budget}}
    budget = BUDGETS[request.thinking]
    total = min(cap + max(0, budget), request.model.max_tokens)
    if total <= budget:
        budget = max(_PRO_MINIMUM if _is_pro(request.model) else 0, total - _ANSWER_RESERVE)
    shown = {"includeThoughts": True, "thinkingBudget": budget}
    return {"maxOutputTokens": total, "thinkingConfig": shown}
