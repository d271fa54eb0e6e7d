"""How much fits into a model's context, and where the number is from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.catalog.entry import WindowSource
from agents.catalog.known import KNOWN_MODELS
from agents.catalog.resolve import catalog
from agents.core.model import ModelInfo


def window_of(model: ModelInfo, settings: Mapping[str, Any]) -> tuple[int, WindowSource]:
    """The context window of `model` in tokens, and its source.

    In this order: `contextTokens` of the model in the configuration, its `contextWindow`, what is
    known of the id ("known"), the default of 128,000. `settings` are the agent's merged with the
    defaults': its `contextTokens` caps all of these ("agentContextTokens"). Cheap; never raises.
    """
    window, source = model.context_window, _source(model)
    cap = settings.get("contextTokens")
    if isinstance(cap, int) and not isinstance(cap, bool) and 0 < cap < window:
        return cap, "agentContextTokens"
    return window, source


def _source(model: ModelInfo) -> WindowSource:
    entry = catalog().providers.get(model.provider)
    if entry is not None and model.id in entry.windows:
        return entry.windows[model.id]
    if model.id in KNOWN_MODELS.get(model.provider, {}):
        return "known"
    default = ModelInfo(provider="", id="", api="").context_window
    return "default" if model.context_window == default else "known"
