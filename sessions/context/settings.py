"""What the configuration says about the context of one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.catalog.window import window_of
from agents.config.cache import cached
from agents.config.documents import documents
from agents.config.sections.context_schema import (
    Compaction,
    ContextLimits,
    ContextPruning,
    duration_seconds,
)
from agents.context.caps import result_limit
from agents.context.engine import Resolved, context_engine
from agents.context.limits import history_limit
from agents.context.pruning import PruningRules
from agents.core.model import ModelInfo
from agents.selectors import AgentSnapshot, agent_defaults

# design 10: the share of the window that a conversation may take, and where the warning begins.
BUDGET_SHARE = 0.8
WARNING_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Room:
    """How much fits into a model, in tokens, and where the size of its window is from."""

    window: int
    source: str

    @property
    def budget(self) -> int:
        """What a conversation may take."""
        return int(self.window * BUDGET_SHARE)

    @property
    def warning(self) -> int:
        """From where on whoever looks at the run is warned."""
        return int(self.budget * WARNING_SHARE)


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """The settings that hold for one turn, read before it begins: nothing here asks the database.

    `pruning` is None when nothing is pruned; `history_limit` is in turns of a person, 0 for all.
    `engine` is the context engine that `plugins.slots.contextEngine` names. `sources` says where
    the windows of some models are from.
    """

    cap: int
    compaction: Compaction
    limits: ContextLimits
    pruning: PruningRules | None
    history_limit: int
    engine: Resolved
    sources: Mapping[str, str] = field(default_factory=dict)

    def room(self, model: ModelInfo) -> Room:
        """The room that `model` has for this agent."""
        if 0 < self.cap < model.context_window:
            return Room(self.cap, "agentContextTokens")
        return Room(model.context_window, self.sources.get(model.ref, "catalog"))

    def result_chars(self, model: ModelInfo) -> int:
        """The most characters of one tool result that `model` reads."""
        return result_limit(self.room(model).window, self.limits.tool_result_max_chars)


def context_settings(
    snapshot: AgentSnapshot, session_key: str, model: ModelInfo | None = None
) -> ContextSettings:
    """The settings for a turn of this agent in this session. Cheap when asked for often.

    May read the database, so it is not for the event loop.
    """
    defaults = agent_defaults()
    slots = _document("plugins").get("slots")
    cap = snapshot.settings.get("contextTokens")
    return ContextSettings(
        cap=cap if isinstance(cap, int) else 0,
        compaction=defaults.compaction,
        limits=defaults.context_limits,
        pruning=_rules(defaults.context_pruning),
        history_limit=history_limit(session_key, _document("channels")),
        engine=context_engine(slots if isinstance(slots, Mapping) else {}),
        sources={model.ref: window_of(model, {})[1]} if model else {},
    )


def _document(name: str) -> Mapping[str, Any]:
    found = cached(("document", name), lambda: documents().get(name))
    return found if isinstance(found, Mapping) else {}


def _rules(pruning: ContextPruning) -> PruningRules | None:
    if pruning.mode == "off":
        return None
    trim, clear = pruning.soft_trim, pruning.hard_clear
    return PruningRules(
        ttl=duration_seconds(pruning.ttl),
        keep_last_assistants=pruning.keep_last_assistants,
        soft_ratio=pruning.soft_trim_ratio,
        hard_ratio=pruning.hard_clear_ratio,
        min_prunable_chars=pruning.min_prunable_tool_chars,
        max_chars=trim.max_chars,
        head_chars=trim.head_chars,
        tail_chars=trim.tail_chars,
        clears=clear.enabled,
        placeholder=clear.placeholder,
        allow=tuple(pruning.tools.allow),
        deny=tuple(pruning.tools.deny),
    )
