"""Showing a compaction to whoever watches the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.core.events import AutoCompactionEnd, AutoCompactionStart
from sessions.models import Entry
from sessions.turns.emitter import Emitter
from sessions.turns.records import entry_json

if TYPE_CHECKING:
    from sessions.context.compaction import Outcome
    from sessions.context.plan import Trigger


class CompactionTeller:
    """Turns the loop's compaction events into live records. Without an emitter it is silent."""

    def __init__(self, emitter: Emitter | None) -> None:
        self._emitter = emitter

    def start(self, trigger: Trigger) -> None:
        """A summary is being made."""
        reason = "threshold" if trigger == "budget" else trigger
        self.tell(AutoCompactionStart(reason))

    def end(self, outcome: Outcome, trigger: Trigger) -> None:
        """It is over; a stored summary is shown as the entry it is."""
        if outcome.entry is not None:
            self.entry(outcome.entry)
        self.tell(
            AutoCompactionEnd(
                completed=outcome.done,
                will_retry=outcome.done and trigger == "overflow",
                tokens_before=outcome.tokens_before,
                tokens_after=outcome.tokens_after,
                aborted=outcome.reason == "aborted",
                error_message=outcome.error or outcome.reason,
            )
        )

    def entry(self, entry: Entry) -> None:
        """A mark that was just stored."""
        if self._emitter is not None:
            self._emitter.emit("entry", entry=entry_json(entry))

    def tell(self, event: AutoCompactionStart | AutoCompactionEnd) -> None:
        """One event as a record."""
        if self._emitter is None:
            return
        if isinstance(event, AutoCompactionStart):
            self._emitter.emit("compaction.start", reason=event.reason)
            return
        self._emitter.emit(
            "compaction.end",
            completed=event.completed,
            willRetry=event.will_retry,
            tokensBefore=event.tokens_before,
            tokensAfter=event.tokens_after,
            error="" if event.completed else event.error_message,
        )
