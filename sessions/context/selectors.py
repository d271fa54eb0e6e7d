"""Reads: how compactions ended, and how full a session's context is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.catalog.resolve import resolve_model
from agents.catalog.window import window_of
from agents.core.errors import OpenClawError
from agents.core.principal import Principal
from agents.selectors import agent_snapshot
from sessions.context.settings import BUDGET_SHARE, WARNING_SHARE
from sessions.models import Compaction, Session
from sessions.run_selectors import visible_runs


@dataclass(frozen=True, slots=True)
class Fullness:
    """How many tokens of its model's window a conversation takes, as its service reported.

    `tight`: it is near the size at which older messages are summarised (`budget`).
    """

    used: int
    window: int

    @property
    def budget(self) -> int:
        """Beyond it older messages are summarised."""
        return int(self.window * BUDGET_SHARE)

    @property
    def tight(self) -> bool:
        """Whether it is time to say so."""
        return self.used >= self.budget * WARNING_SHARE


def session_window(session: Session) -> int | None:
    """The context window of the model that answers in a session, None when there is none.

    Cheap when asked for often.
    """
    try:
        agent = agent_snapshot(slug=session.agent_slug)
        return window_of(resolve_model(ref=session.model or agent.model), agent.settings)[0]
    except OpenClawError:
        return None


def session_fullness(session: Session) -> Fullness | None:
    """How full the context of a session is, None before anything was said or without a model."""
    window = session_window(session)
    return Fullness(session.context_tokens, window) if window and session.context_tokens else None


def compaction_of(*, principal: Principal, run_id: str) -> dict[str, Any]:
    """What the newest compaction of a visible run did, in the words of the protocol."""
    runs = visible_runs(principal).filter(wire_id=run_id)
    row = Compaction.objects.filter(run__in=runs).order_by("-id").first()
    if row is None:
        return {"compacted": False}
    done = row.outcome == Compaction.Outcome.DONE
    result: dict[str, Any] = {"compacted": done}
    if done:
        result["kept"] = row.messages_kept
        result["result"] = {"tokensBefore": row.tokens_before, "tokensAfter": row.tokens_after}
    if row.reason:
        result["reason"] = row.reason
    return result
