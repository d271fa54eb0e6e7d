"""A turn that a test plays itself: the live records a worker would emit."""

from __future__ import annotations

from typing import Any

from agents.core.messages import now_ms
from agents.core.principal import ALL_SCOPES, Principal
from agents.database import run_db
from sessions.access import session_for_message
from sessions.live import records_emit
from sessions.models import Person, Session
from sessions.people import owner_ensure

KEY = "agent:main:main"


async def session_make(key: str = KEY, person: Person | None = None) -> Session:
    """A session of `person`, of the owner by default."""

    def work() -> Session:
        owner = person or owner_ensure()
        return session_for_message(key=key, principal=owner.principal())

    return await run_db(work)


async def owner_principal() -> Principal:
    """The owner, as the shared token makes them."""

    def work() -> Principal:
        return owner_ensure().principal()

    principal = await run_db(work)
    assert set(principal.scopes) == set(ALL_SCOPES)
    return principal


class Run:
    """Emits the records of one run, numbered as a worker numbers them."""

    def __init__(
        self,
        session: Session,
        wire: str,
        *,
        run: str = "",
        fence: int = 1,
        merged: tuple[str, ...] = (),
    ) -> None:
        self.session_id = session.pk
        self.wires = (wire, *merged)
        self.fence = fence
        self.seq = 0
        self._base = {
            "run": run or f"run-of-{wire}",
            "wire": wire,
            "key": session.key,
            "agent": session.agent_slug,
        }

    async def emit(self, kind: str, *, change: str = "", value: str = "", **data: Any) -> None:
        """Any record."""
        self.seq += 1
        record = {
            "t": kind,
            **self._base,
            "fence": self.fence,
            "seq": self.seq,
            "ts": now_ms(),
            **data,
        }
        await records_emit(session_id=self.session_id, records=[(record, change, value)])

    async def start(self) -> None:
        """The run begins."""
        wires = list(self.wires)
        await self.emit("run.start", change="open", startedAt=now_ms(), wires=wires)

    async def resume(self, text: str = "") -> None:
        """Another worker takes the run over with `text` committed."""
        wires = list(self.wires)
        await self.emit("run.resume", change="open", value=text, text=text, wires=wires)

    async def say(self, delta: str) -> None:
        """A piece of text."""
        await self.emit("text", change="text", value=delta, d=delta)

    async def entry(self, seq: int, role: str, text: str) -> None:
        """A committed transcript entry."""
        message = {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1}
        entry = {"id": f"{seq:08x}", "seq": seq, "role": role, "message": message}
        await self.emit("entry", entry={**entry, "runId": self._base["run"]})

    async def end(self, text: str, *, state: str = "final", **data: Any) -> None:
        """The run ends; merged run ids with it."""
        primary = self.wires[0]
        outcomes = [{"id": primary, "outcome": "answered"}]
        outcomes += [
            {"id": wire, "outcome": "merged", "mergedInto": primary} for wire in self.wires[1:]
        ]
        fields = {"stopReason": "stop", "wires": outcomes, **data}
        await self.emit(
            "run.end", change="close", state=state, text=text, endedAt=now_ms(), **fields
        )
