"""Settings of `agents.defaults` about what a model gets to see of a conversation."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field

from agents.config.schema import Kept, Strict

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def duration_seconds(text: str) -> float:
    """A duration such as "5m", "90s" or "1h" in seconds; a bare number means minutes.

    Raises ValueError for anything else.
    """
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(_("must be a duration such as 90s, 5m or 1h"))
    return float(match[1]) * _UNITS[match[2] or "m"]


def _duration(text: str) -> str:
    duration_seconds(text)
    return text


Duration = Annotated[str, AfterValidator(_duration)]
Ratio = Annotated[float, Field(ge=0, le=1)]
Characters = Annotated[int, Field(ge=0, le=10_000_000)]


class Compaction(Strict):
    """How old history is replaced by a summary (runtime.md 3.3 to 3.6)."""

    mode: Literal["default", "safeguard"] = "safeguard"
    keep_recent_tokens: int = Field(default=20_000, ge=500, le=10_000_000)
    recent_turns_preserve: int = Field(default=3, ge=0, le=12)
    identifier_policy: Literal["strict", "off", "custom"] = "strict"
    identifier_instructions: str = Field(default="", max_length=4_000)
    model: str = ""
    timeout_seconds: int = Field(default=300, ge=1, le=3_600)

    reserve_tokens: Kept = None
    reserve_tokens_floor: Kept = None
    max_history_share: Kept = None
    quality_guard: Kept = None
    post_compaction_sections: Kept = None
    provider: Kept = None
    notify_user: Kept = None
    truncate_after_compaction: Kept = None
    max_active_transcript_bytes: Kept = None
    mid_turn_precheck: Kept = None
    post_index_sync: Kept = None
    memory_flush: Kept = None


class SoftTrim(Strict):
    """What is left of a long tool result, in characters."""

    max_chars: Characters = 4_000
    head_chars: Characters = 1_500
    tail_chars: Characters = 1_500


class HardClear(Strict):
    """What stands in the place of a tool result that is left out."""

    enabled: bool = True
    placeholder: str = Field(default="[Old tool result content cleared]", max_length=1_000)


class ToolPatterns(Strict):
    """Names of tools, with * for any characters. An empty `allow` means all."""

    allow: list[str] = []
    deny: list[str] = []


class ContextPruning(Strict):
    """When old tool results are made smaller in what is sent (runtime.md 3.9)."""

    mode: Literal["off", "cache-ttl"] = "off"
    ttl: Duration = "5m"
    keep_last_assistants: int = Field(default=3, ge=0, le=1_000)
    soft_trim_ratio: Ratio = 0.3
    hard_clear_ratio: Ratio = 0.5
    min_prunable_tool_chars: Characters = 50_000
    soft_trim: SoftTrim = SoftTrim()
    hard_clear: HardClear = HardClear()
    tools: ToolPatterns = ToolPatterns()


class ContextLimits(Strict):
    """The longest tool result that is stored, and the windows that are too small to work with."""

    tool_result_max_chars: int = Field(default=16_000, ge=2_000, le=10_000_000)
    window_warn_tokens: int = Field(default=32_000, ge=0, le=10_000_000)
    window_min_tokens: int = Field(default=16_000, ge=1_000, le=10_000_000)


ContextTokens = Annotated[int, Field(ge=1_000, le=1_000_000_000)]
