"""Which thinking levels a model can do, and the nearest to one that it cannot. Pure.

`compat.thinkingLevels`, a list of levels, overrides what follows from the model's kind.
"""

from __future__ import annotations

import re
from typing import get_args

from agents.core.messages import ThinkingLevel
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.anthropic_messages.thinking import is_adaptive
from agents.providers.openai_responses.effort import effort_for

STATED = "thinkingLevels"
# From little to much; "adaptive" leaves it to the model.
_SCALE: tuple[ThinkingLevel, ...] = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
_USUAL: tuple[ThinkingLevel, ...] = _SCALE[:5]
ALL_LEVELS: tuple[ThinkingLevel, ...] = get_args(ThinkingLevel)
# Words that people use for a level.
_WORDS: dict[str, ThinkingLevel] = {
    "none": "off", "on": "low", "min": "minimal", "med": "medium", "mid": "medium",
    "x-high": "xhigh", "extra-high": "xhigh", "auto": "adaptive", "highest": "max",
}  # fmt: skip

_CLAUDE_APIS = ("anthropic-messages", "bedrock-converse-stream")
_RESPONSES_APIS = ("openai-responses", "github-copilot")
# From here on OpenAI's models know an effort above "high" (the vendor's model pages).
_XHIGH = re.compile(r"gpt-(5\.[2-9]|[6-9])")


def thinking_named(word: str) -> ThinkingLevel | None:
    """The level that `word` means, in any case; None for no level."""
    plain = word.strip().lower()
    plain = _WORDS.get(plain, plain)
    return next((level for level in ALL_LEVELS if level == plain), None)


def thinking_levels(model: ModelInfo) -> tuple[ThinkingLevel, ...]:
    """The levels that make a difference for `model`, little to much; never empty."""
    stated = model.compat.get(STATED)
    if isinstance(stated, list | tuple):
        return tuple(level for level in ALL_LEVELS if level in stated) or ("off",)
    if not model.reasoning:
        return ("off",)
    levels = _levels_of_api(model)
    return levels[1:] if model.compat.get("alwaysThinking") else levels


def _levels_of_api(model: ModelInfo) -> tuple[ThinkingLevel, ...]:
    if model.api in _CLAUDE_APIS:
        return ALL_LEVELS if is_adaptive(ModelRequest(model, ())) else _USUAL
    if model.api in _RESPONSES_APIS:
        return _levels_by_effort(model)
    if model.api == "google-generative-ai":
        return (*_USUAL, "adaptive")
    if _XHIGH.match(model.id.rpartition("/")[2]):
        return (*_USUAL, "xhigh")
    return _USUAL


def _levels_by_effort(model: ModelInfo) -> tuple[ThinkingLevel, ...]:
    """Of levels above "high" those that the service does not take for a lower one."""
    efforts = [effort_for(ModelRequest(model, (), thinking=level)) for level in _SCALE]
    above = [
        level
        for place, level in enumerate(_SCALE)
        if place > _SCALE.index("high") and efforts[place] not in efforts[:place]
    ]
    return (*_USUAL, *above)


def thinking_fitted(level: ThinkingLevel, model: ModelInfo) -> ThinkingLevel:
    """`level` where the model can do it, else the nearest below it, else the least it can do."""
    levels = thinking_levels(model)
    if level in levels:
        return level
    wanted = _SCALE.index("medium" if level == "adaptive" else level)
    below = [one for one in levels if one in _SCALE and _SCALE.index(one) <= wanted]
    return below[-1] if below else levels[0]
