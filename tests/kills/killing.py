"""Turns in several sessions while processes are killed, and the proof that nothing was lost."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.gateway_client import GatewayClient
from tests.platform.gateway import Gateway

# What an operator would accept: a turn that died four times in a row says so, once.
MOST_EXPLAINED = 5
SETTLED_SECONDS = 90.0


def message(number: int) -> str:
    """A turn with a tool that must not run twice, one that may, and a streamed answer."""
    write = json.dumps({"path": f"kill-{number:03d}.txt", "content": f"{number}"})
    read = json.dumps({"path": f"kill-{number:03d}.txt"})
    return (
        f"message-{number:03d} [[tool:write {write}]] [[tool:read {read}]] "
        f"[[final:reply-{number:03d} one two three four five six]] [[delay:30]]"
    )


@dataclass
class Turns:
    """Sends turns, each session one after another, all sessions at once.

    `watched`: the sockets stay open all the time, so that every end must be seen exactly once.
    """

    gateway: Gateway
    seed: int
    watched: bool = False
    sessions: int = 5
    message: Callable[[int], str] = message
    run_ids: dict[str, str] = field(default_factory=dict)

    async def more(self, count: int) -> None:
        """Sends `count` further turns and waits for the outcome of each one."""
        first = len(self.run_ids)
        numbers = iter(range(first, first + count))
        await asyncio.gather(*(self._session(name, numbers) for name in range(self.sessions)))

    async def _session(self, name: int, numbers: Iterator[int]) -> None:
        key = f"agent:main:kills-{self.seed}-{name}"
        client = GatewayClient(self.gateway.ws_url, self.gateway.token)
        await client.reconnect()
        try:
            for number in numbers:
                run_id = await self._turn(client, key, number)
                if self.watched:
                    ended = await client.ended(run_id)
                    assert ended.deltas in ("", ended.text), "what was streamed is what was said"
            for run_id in self.run_ids:
                assert len(client.ends(run_id)) <= 1, f"{run_id} ended twice"
        finally:
            await client.close()

    async def _turn(self, client: GatewayClient, key: str, number: int) -> str:
        run_id = f"{self.seed}-{number:03d}"
        self.run_ids[run_id] = key
        await self._until_answered(
            client,
            "chat.send",
            {"sessionKey": key, "message": self.message(number), "idempotencyKey": run_id},
        )
        while True:
            found = await self._until_answered(
                client, "agent.wait", {"runId": run_id, "timeoutMs": 5000}
            )
            if found["status"] != "timeout":
                return run_id

    async def _until_answered(
        self, client: GatewayClient, method: str, params: dict[str, Any]
    ) -> dict[str, Any]:
        """Asks again, on a new socket, as often as the connection is lost: as a client would."""
        while True:
            try:
                return await client.request(method, params)
            except (ConnectionError, OSError, TimeoutError):
                await client.reconnect()


async def random_kills(
    gateway: Gateway, name: str, count: int, chance: random.Random, work: asyncio.Task[None]
) -> int:
    """kill -9 of a child at random moments while `work` goes on. Returns how many there were."""
    done = 0
    while done < count and not work.done():
        # Long enough, on average, for a restarted worker to get somewhere.
        await asyncio.sleep(chance.uniform(0.2, 3.0))
        if gateway.pid_of(name) is not None and not work.done():
            gateway.kill_child(name)
            done += 1
    return done


async def settle(gateway: Gateway) -> dict[str, Any]:
    """The ledger as soon as nothing waits any more. It must be clean then."""
    deadline = asyncio.get_running_loop().time() + SETTLED_SECONDS
    while True:
        found = await asyncio.to_thread(_ledger, gateway)
        if not found["faults"] or asyncio.get_running_loop().time() > deadline:
            return found
        await asyncio.sleep(1)


def _ledger(gateway: Gateway) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        gateway.manage_any("ledger", "check", "--settled", "--json").stdout
    )
    return found


async def check(gateway: Gateway, turns: Turns) -> Counter[str]:
    """Every message was answered once or explained once; no transcript has an orphan."""
    ledger = await settle(gateway)
    assert ledger["faults"] == [], ledger
    outcomes: Counter[str] = Counter()
    client = GatewayClient(gateway.ws_url, gateway.token)
    await client.reconnect()
    for key in sorted(set(turns.run_ids.values())):
        rows = await client.history(key, limit=1000)
        for run_id in (one for one, owner in turns.run_ids.items() if owner == key):
            outcomes[_outcome(rows, run_id.rpartition("-")[2])] += 1
    await client.close()
    return outcomes


def _outcome(rows: list[dict[str, Any]], number: str) -> str:
    texts = [(row["role"], json.dumps(row.get("content"))) for row in rows]
    asked = sum(f"message-{number}" in text for role, text in texts if role == "user")
    replies = sum(f"reply-{number}" in text for role, text in texts if role == "assistant")
    assert asked == 1, f"message-{number} stands {asked} times in the transcript"
    assert replies <= 1, f"message-{number} was answered {replies} times"
    return "answered" if replies else "explained"
