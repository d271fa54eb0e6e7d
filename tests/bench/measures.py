"""What is measured, each as a function from a stand to figures."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from tests.bench.client import BenchClient, Timing, session_key
from tests.bench.figures import Figure, growth, percentile, spread
from tests.bench.processes import CpuMeter, memory_by_process
from tests.bench.stand import Stand

# Goals of the project for two cores with everything on them; see ARCHITECTURE.md.
TURN_GOAL_MS = 35.0
FIRST_DELTA_GOAL_MS = 25.0
TURNS_PER_SECOND_GOAL = 40.0
GROWTH_GOAL = 1.5
WORKER_CPU_GOAL_MS = 14.0
WEB_CPU_GOAL_MS = 4.0
MEMORY_GOAL_MB = 300.0
WAITING_GOAL_MB = 350.0
START_GOAL_SECONDS = 4.0

_STREAMED = "[[tokens:20:20]]"
_SOCKETS_OF_WAITING = 20
_WAITING_POLL_SECONDS = 0.5
_WAITING_PATIENCE_SECONDS = 240.0
# Seconds for memory to settle after the last turn has reached the model.
_SETTLE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured; `quick` is for a look, not for a record."""

    quick: bool = False

    def of(self, full: int, quick: int) -> int:
        """One of the two numbers."""
        return quick if self.quick else full


Measure = Callable[[Stand, Effort], Awaitable[list[Figure]]]


async def turn(stand: Stand, effort: Effort) -> list[Figure]:
    """One person in one session: the whole turn, its first delta and its processor time."""
    count = effort.of(100, 20)
    async with stand.client() as client:
        session = session_key("turn")
        for _ in range(5):
            await client.turn(session, "hi")
        cpu = CpuMeter(stand.gateway)
        rows = [await client.turn(session, "hi") for _ in range(count)]
        used = cpu.per_turn(count)
        opened = [await client.turn(session_key("new"), "hi") for _ in range(count // 2)]
        firsts = await _first_deltas(stand, client, effort.of(40, 10))
    _, direct = stand.model_seconds("hi", count)
    finals = [row.final for row in rows]
    model = spread(direct)
    beyond = {share: _beyond(finals, direct, share) for share in (0.5, 0.9)}
    notes = {
        "p90": round(beyond[0.9], 1),
        "whole p50": spread(finals)["p50"],
        "model": model["p50"],
    }
    return [
        Figure("turn p50 beyond the model", beyond[0.5], "ms", TURN_GOAL_MS, notes=notes),
        Figure("turn p50 in new sessions", spread([row.final for row in opened])["p50"], "ms"),
        Figure("acknowledged p50", spread([row.acknowledged for row in rows])["p50"], "ms"),
        *firsts,
        *_cpu_figures("one session", used),
    ]


def _beyond(whole: list[float], model: list[float], share: float) -> float:
    return (percentile(whole, share) - statistics.median(model)) * 1000


async def _first_deltas(stand: Stand, client: BenchClient, count: int) -> list[Figure]:
    session = session_key("first")
    await client.turn(session, _STREAMED)
    stand.model.reset()
    rows = [await client.turn(session, _STREAMED) for _ in range(count)]
    # An instant model begins to answer when it is asked; turns one by one are asked in order.
    asked = [request["ts"] for request in stand.model.requests()][-count:]
    after_token = [row.first_at - at for row, at in zip(rows, asked, strict=True)]
    direct, _ = stand.model_seconds(_STREAMED, min(count, 10))
    whole = (statistics.median(row.first for row in rows) - statistics.median(direct)) * 1000
    beyond = "first delta p50 after sending, less the model"
    return [
        Figure(
            "first delta p50 after the first token",
            spread(after_token)["p50"],
            "ms",
            FIRST_DELTA_GOAL_MS,
            notes={"p90": spread(after_token)["p90"], "n": count},
        ),
        Figure(beyond, whole, "ms", notes={"n": count}),
    ]


def _cpu_figures(name: str, used: dict[str, float]) -> list[Figure]:
    rest = {part: value for part, value in used.items() if part not in ("worker", "web")}
    return [
        Figure(f"cpu a turn, worker, {name}", used["worker"], "ms", WORKER_CPU_GOAL_MS, notes=rest),
        Figure(f"cpu a turn, web, {name}", used["web"], "ms", WEB_CPU_GOAL_MS),
    ]


async def load(stand: Stand, effort: Effort) -> list[Figure]:
    """Many people at once, each with a session and a connection, turn after turn."""
    plan = [(1, effort.of(60, 15)), (10, effort.of(20, 4)), (50, effort.of(12, 3))]
    figures: list[Figure] = []
    for sessions, turns in plan:
        cpu = CpuMeter(stand.gateway)
        rows, wall = await _crowd(stand, sessions, turns)
        used = cpu.per_turn(len(rows))
        goal = TURNS_PER_SECOND_GOAL if sessions == max(plan)[0] else None
        notes = spread([row.final for row in rows])
        figures.append(
            Figure(
                f"turns a second, {sessions} sessions", len(rows) / wall, "", goal, "least", notes
            )
        )
    return [*figures, *_cpu_figures(f"{sessions} sessions", used)]


async def _crowd(stand: Stand, sessions: int, turns: int) -> tuple[list[Timing], float]:
    async def person(client: BenchClient) -> list[Timing]:
        session = session_key("load")
        return [await client.turn(session, "hi") for _ in range(turns)]

    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(stand.client()) for _ in range(sessions)]
        start = time.perf_counter()
        rows = await asyncio.gather(*map(person, clients))
        wall = time.perf_counter() - start
    return [row for found in rows for row in found], wall


async def same(stand: Stand, effort: Effort) -> list[Figure]:
    """One long session: its last turns against its first."""
    runs, turns = effort.of(3, 1), effort.of(200, 60)
    ratios: list[float] = []
    last: list[float] = []
    async with stand.client() as client:
        for _ in range(3):
            await client.turn(session_key("warm"), "hi")
        for _ in range(runs):
            session = session_key("same")
            last = [(await client.turn(session, "hi")).final for _ in range(turns)]
            ratios.append(growth(last))
    notes = {
        "runs": " ".join(f"{ratio:.2f}" for ratio in ratios),
        "first": spread(last[:20])["p50"],
        "last": spread(last[-20:])["p50"],
    }
    name = f"turns {turns - 19}-{turns} against 1-20"
    return [Figure(name, statistics.median(ratios), "x", GROWTH_GOAL, notes=notes)]


async def memory(stand: Stand, effort: Effort) -> list[Figure]:
    """All processes at rest, first as started, then after one turn."""
    wait = effort.of(60, 10) - (time.monotonic() - stand.started_at)
    await asyncio.sleep(max(0.0, wait))
    rest = memory_by_process(stand.gateway)
    async with stand.client() as client:
        await client.turn(session_key("memory"), "hi")
    after = memory_by_process(stand.gateway)
    return [
        Figure("memory at rest (PSS)", rest.pop("sum"), "MB", MEMORY_GOAL_MB, notes=rest),
        Figure("memory after one turn (PSS)", after.pop("sum"), "MB", notes=after),
    ]


async def waiting(stand: Stand, effort: Effort) -> list[Figure]:
    """Turns that all wait for a model which never answers, in one worker."""
    count = effort.of(2000, 200)
    async with stand.client() as client:
        await client.turn(session_key("warm"), "hi")
    before = memory_by_process(stand.gateway)
    start = time.perf_counter()
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(stand.client()) for _ in range(_SOCKETS_OF_WAITING)
        ]
        await asyncio.gather(*(_send_many(c, count // len(clients)) for c in clients))
        reached = await _until_in_flight(stand, count)
        filled = time.perf_counter() - start
        await asyncio.sleep(_SETTLE_SECONDS)
        after = memory_by_process(stand.gateway)
    grown = {name: round(after[name] - before.get(name, 0.0), 1) for name in after}
    notes = {"waiting": reached, "filled s": round(filled, 1)}
    more = grown.pop("sum")
    name = f"memory of {count} waiting turns"
    return [Figure(name, more, "MB", WAITING_GOAL_MB, notes={**notes, **grown})]


async def _send_many(client: BenchClient, count: int) -> None:
    for _ in range(count):
        await client.send(session_key("wait"), "[[hang]]")


async def _until_in_flight(stand: Stand, count: int) -> int:
    found, deadline = 0, time.monotonic() + _WAITING_PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = stand.model.stats().get("in_flight", 0)
        if found >= count:
            break
        await asyncio.sleep(_WAITING_POLL_SECONDS)
    return found


async def start(stand: Stand, effort: Effort) -> list[Figure]:
    """The gateway again on its own home: to the ready line, and to the end of a first turn."""
    ready: list[float] = []
    answered: list[float] = []
    for _ in range(effort.of(3, 1)):
        stand.gateway.stop()
        began = time.perf_counter()
        stand.gateway.start()
        ready.append(time.perf_counter() - began)
        async with stand.client() as client:
            await client.turn(session_key("start"), "hi")
        answered.append(time.perf_counter() - began)
    notes = {"n": len(ready), "first turn ended": round(statistics.median(answered), 2)}
    name = "start again to ready"
    return [Figure(name, statistics.median(ready), "s", START_GOAL_SECONDS, notes=notes)]
