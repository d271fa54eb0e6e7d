"""A worker's engine inside the test process, on a real database, Redis and model server.

The test rings the bell itself, so that it decides what happens before what.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import orjson

from agents.core.principal import Principal
from agents.database import run_db
from sessions.engine import Engine
from sessions.inbox import Accepted, message_accept
from sessions.ledger import Fault, ledger_check
from sessions.models import Entry, InboxItem, Person, Run
from sessions.people import owner_ensure
from sessions.redis_client import redis_async

KEY = "agent:main:stage"
# Longer than anything a test waits for on a busy machine.
PATIENCE = 30.0


class Stage:
    """Messages in, engines that work on them, and rows to look at afterwards."""

    def __init__(self) -> None:
        self.engines: list[Engine] = []

    async def engine(self, worker_id: str = "w1") -> Engine:
        """An engine that runs until the end of the test."""
        engine = Engine(worker_id)
        await engine.start()
        self.engines.append(engine)
        return engine

    async def close(self) -> None:
        """Stops every engine."""
        for engine in self.engines:
            await engine.drain()

    async def owner(self) -> Principal:
        """The rights of the first owner."""
        return await run_db(lambda: owner_ensure().principal())

    async def member(self, name: str) -> Principal:
        """The rights of somebody who owns nothing."""
        return await run_db(lambda: Person.objects.create(name=name).principal())

    async def accept(
        self, text: str, *, key: str = KEY, run_id: str = "", **fields: Any
    ) -> Accepted:
        """Stores a message of the owner, or of `principal`."""
        principal = fields.pop("principal", None) or await self.owner()
        run_id = run_id or f"wire-{uuid4().hex[:8]}"
        fields.setdefault("source", f"ws:{principal.id}")
        return await run_db(
            lambda: message_accept(
                principal=principal,
                session_key=key,
                text=text,
                run_id=run_id,
                origin={"kind": "ws"},
                **fields,
            )
        )

    async def item(self, accepted: Accepted) -> InboxItem:
        """The message's row as it is now, with its run."""
        items = InboxItem.objects.select_related("run", "session")
        return await run_db(lambda: items.get(pk=accepted.item_id))

    async def ended(self, accepted: Accepted) -> InboxItem:
        """The message's row once it has an outcome."""
        found: list[InboxItem] = []

        async def look() -> bool:
            found[:] = [await self.item(accepted)]
            return bool(found[0].outcome)

        await self.until(look)
        return found[0]

    async def running(self, accepted: Accepted) -> Run:
        """The run that took a message."""
        await self.until(lambda: self._has_run(accepted))
        run = (await self.item(accepted)).run
        assert run is not None
        return run

    async def _has_run(self, accepted: Accepted) -> bool:
        return (await self.item(accepted)).run is not None

    async def until(self, check: Callable[[], Any]) -> None:
        """Polls until `check`, a function or coroutine function, is true."""
        async with asyncio.timeout(PATIENCE):
            while True:
                answer = check()
                if await answer if asyncio.iscoroutine(answer) else answer:
                    return
                await asyncio.sleep(0.01)

    async def idle(self, engine: Engine) -> None:
        """Returns when the engine looks after no session."""
        await self.until(lambda: not engine._tasks)

    async def entries(self, key: str = KEY) -> list[tuple[str, str]]:
        """Role and text of every entry of a session, in order of writing."""
        rows = Entry.objects.filter(transcript__session__key=key).order_by("pk")
        bodies = await run_db(lambda: list(rows.values_list("role", "body")))
        return [(role, text_of(body)) for role, body in bodies]

    async def live_records(self, session_id: str) -> list[dict[str, Any]]:
        """Everything that watchers of a session were told."""
        rows: Any = await redis_async().xrange(f"oc:s:{session_id}")
        return [orjson.loads(fields[b"r"]) for _, fields in rows]

    async def faults(self, *, settled: bool = True) -> list[Fault]:
        """What the ledger complains of."""
        ledger = await run_db(lambda: ledger_check(settled=settled))
        return list(ledger.faults)


def text_of(body: dict[str, Any]) -> str:
    """The text of a stored message."""
    content = body.get("content", "")
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content)
