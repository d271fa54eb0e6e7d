"""How much a model is told to reason."""

from __future__ import annotations

import re
from typing import Any

from agents.core.model import ModelRequest

# Levels that the vendor has no word for.
_EFFORTS = {"off": "none", "adaptive": "medium"}
# By model, from the vendor's model pages: what is nearest where a model refuses an effort.
_LOWEST: tuple[tuple[re.Pattern[str], dict[str, str]], ...] = (
    (
        re.compile(r"o[1-9](-|$)"),
        {"none": "low", "minimal": "low", "xhigh": "high", "max": "high"},
    ),
    (
        re.compile(r"gpt-5(\.\d)?-codex"),
        {"none": "low", "minimal": "low", "xhigh": "high", "max": "high"},
    ),
    (
        re.compile(r"gpt-5(-(mini|nano|20\d\d).*)?$"),
        {"none": "minimal", "xhigh": "high", "max": "high"},
    ),
    (re.compile(r"gpt-5\.1"), {"minimal": "low", "xhigh": "high", "max": "high"}),
    (re.compile(r"gpt-5\.[2-5]"), {"minimal": "low", "max": "xhigh"}),
    (re.compile(r"gpt-"), {"minimal": "low"}),
)

ENCRYPTED = "reasoning.encrypted_content"


def effort_for(request: ModelRequest) -> str:
    """The effort for the request's level.

    `compat.reasoningEfforts`, a mapping of our levels to the service's words, overrides what is
    known of the model's name.
    """
    stated = request.model.compat.get("reasoningEfforts")
    if isinstance(stated, dict) and request.thinking in stated:
        return str(stated[request.thinking])
    effort = _EFFORTS.get(request.thinking, request.thinking)
    name = request.model.id.rpartition("/")[2]
    for pattern, nearest in _LOWEST:
        if pattern.match(name):
            return nearest.get(effort, effort)
    return effort


def reasoning_fields(request: ModelRequest) -> dict[str, Any]:
    """The request fields for the thinking level; nothing for a model that does not reason."""
    if not request.model.reasoning:
        return {}
    # Without the service's store, reasoning can only go back in its encrypted form.
    fields: dict[str, Any] = {"include": [ENCRYPTED]}
    effort = effort_for(request)
    if not effort:
        return fields
    reasoning = {"effort": effort}
    if effort != "none":
        reasoning["summary"] = "auto"
    return {**fields, "reasoning": reasoning}
