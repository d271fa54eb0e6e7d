"""Waiting for one run within the web process: HTTP answers, `agent`, `agent.wait`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from channels_app.gateway.hub.endings import state_of
from sessions.run_selectors import RunStatus


@dataclass(frozen=True, slots=True)
class RunEnded:
    """How a run id ended. Times are milliseconds since the epoch, None when unknown."""

    wire: str
    state: str
    session_key: str
    text: str = ""
    stop_reason: str = ""
    error_kind: str = ""
    error_message: str = ""
    provider: str = ""
    model: str = ""
    internal_id: str = ""
    merged_into: str = ""
    started_at: int | None = None
    ended_at: int | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    reasoning: str = ""
    trace: dict[str, Any] = field(default_factory=dict)


class Follower:
    """The text and the end of one run id, as they come. The end comes once and is the last."""

    def __init__(self, wire: str) -> None:
        self.wire = wire
        self.ended: RunEnded | None = None
        self._items: asyncio.Queue[str | RunEnded] = asyncio.Queue()
        self._said: list[str] = []
        self._again: str | None = None

    def say(self, delta: str) -> None:
        """A piece of text arrived."""
        if self.ended is not None:
            return
        if self._again is not None:
            delta = self._catch_up(self._again + delta)
        if delta:
            self._said.append(delta)
            self._items.put_nowait(delta)

    def start_over(self, text: str) -> None:
        """The turn was resumed, or a call of it made again: its text is `text` again. What was
        handed out stays said, so the repeated part is swallowed; a text that goes on otherwise is
        set apart by a line that says so."""
        if self._said or text:
            self._again = ""
            self.say(text)

    def _catch_up(self, current: str) -> str:
        said = "".join(self._said)
        if said.startswith(current):
            self._again = current
            return ""
        self._again = None
        if current.startswith(said):
            return current[len(said) :]
        self._said.clear()
        return _anew(current)

    def end(self, ended: RunEnded) -> None:
        """The run ended; later calls do nothing."""
        if self.ended is None:
            # What was said before the turn began anew may be more than its answer.
            if self._again and ended.state == "final" and self._again != "".join(self._said):
                self._items.put_nowait(_anew(self._again))
            self.ended = ended
            self._items.put_nowait(ended)

    async def next(self) -> str | RunEnded:
        """The next piece of text, or the end."""
        return await self._items.get()

    async def wait(self) -> RunEnded:
        """The end; the text before it is skipped."""
        while True:
            item = await self.next()
            if isinstance(item, RunEnded):
                return item


def _anew(text: str) -> str:
    return f"\n\n[{_('The answer broke off and begins anew.')}]\n\n{text}"


def ended_from(record: dict[str, Any], wire: dict[str, Any], key: str) -> RunEnded:
    """The end of one run id, from a run.end record."""
    return RunEnded(
        wire=wire["id"],
        state=state_of(record, wire),
        session_key=key,
        text=record.get("text") or "",
        stop_reason=record.get("stopReason") or "",
        error_kind=record.get("errorKind") or "",
        error_message=record.get("errorMessage") or "",
        provider=record.get("provider") or "",
        model=record.get("model") or "",
        internal_id=record.get("run") or "",
        merged_into=wire.get("mergedInto") or "",
        started_at=record.get("startedAt"),
        ended_at=record.get("endedAt"),
        usage=record.get("usage") or {},
        reasoning=record.get("reasoning") or "",
        trace=record.get("trace") or {},
    )


def ended_from_status(status: RunStatus) -> RunEnded:
    """The end of one run id, from the database."""
    return ended_from(end_record(status), _wire(status), status.session_key)


def end_record(status: RunStatus) -> dict[str, Any]:
    """A run.end record for one run id as the database has it."""
    return {
        "t": "run.end",
        "run": status.internal_id,
        "wire": status.run_id,
        "key": status.session_key,
        "agent": status.agent,
        "seq": 0,
        "state": status.state,
        "text": status.text,
        "stopReason": status.stop_reason,
        "errorKind": status.error_kind,
        "errorMessage": status.error_message,
        "usage": status.usage,
        "provider": status.provider,
        "model": status.model,
        "startedAt": _milliseconds(status.started_at),
        "endedAt": _milliseconds(status.ended_at),
        "wires": [_wire(status)],
    }


def _wire(status: RunStatus) -> dict[str, Any]:
    wire: dict[str, Any] = {"id": status.run_id, "outcome": status.outcome}
    if status.merged_into:
        wire["mergedInto"] = status.merged_into
    return wire


def _milliseconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1000)
