"""The engine of a worker process: takes lanes, works turns, sweeps, and stops in order."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import redis
import structlog
from django.db import DatabaseError, InterfaceError, OperationalError
from django.utils import timezone

from agents.catalog.resolve import default_model_ref, resolve_model
from agents.config.cache import cache_clear
from agents.core.abort import AbortSignal
from agents.core.errors import OpenClawError
from agents.core.model import ModelInfo
from agents.credentials.states import states_forget
from agents.database import run_db
from agents.pricing.find import price_find
from agents.providers.registry import ClientPool
from sessions.approvals.watch import approvals_watch
from sessions.control import control_listen
from sessions.failpoints import failpoint
from sessions.lanes import Lane, Lanes
from sessions.live import inflight
from sessions.models import Run, Session
from sessions.slots import Slots
from sessions.stops import everything_stopped
from sessions.sweeper import sweep_forever
from sessions.turns.begin import turn_begin
from sessions.turns.emitter import Emitter
from sessions.turns.failures import turn_abandon, turn_give_up
from sessions.turns.limits import time_left
from sessions.turns.listener import prompts_forget
from sessions.turns.turn import LeaseLostError, Turn
from sessions.turns.work import turn_work
from sessions.work_queue import agent_of_session, gather_seconds

log = structlog.get_logger(__name__)

# Seconds that turns get to reach a safe point when the worker is asked to stop.
DRAIN_SECONDS = 6.0
# Seconds for what is cancelled after that.
LAST_SECONDS = 1.0
# The ceiling for a turn that keeps its lease but commits nothing (design 2), looked at every 60 s.
SILENT_SECONDS = 1800.0
WATCHDOG_SECONDS = 60.0
# Seconds after which a gathering queue is looked at again, so that a stop is noticed.
LONGEST_NAP = 1.0
# How often in a row a turn may fail to begin; then the person is told.
TRIES = 3
BROKEN = "The turn could not be started by a fault inside the gateway. The log has the details."
# Control messages can be lost with Redis; the rows are asked this often, in seconds.
STOP_POLL_SECONDS = 5.0
# How long after it was asked to end a turn may still clean up (tools and streams get 6 s each)
# before its coroutine is cancelled, wherever it is.
HANG_SECONDS = 20.0


@dataclass(slots=True)
class Active:
    """A turn in progress on this worker."""

    turn: Turn
    signal: AbortSignal
    began: float = field(default_factory=time.monotonic)


class Engine:
    """All turns of one process, as coroutines of one event loop."""

    def __init__(self, worker_id: str) -> None:
        self.worker_id = worker_id
        self.lanes = Lanes(worker_id)
        self.slots = Slots(worker_id)
        self.pool = ClientPool()
        self.active: dict[str, Active] = {}
        self.draining = False
        self._beginning: set[str] = set()
        self._early_stops: dict[str, dict[str, Any]] = {}
        self._faults: Counter[str] = Counter()
        self._waiting: set[asyncio.Task[Any] | None] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._services: list[asyncio.Task[Any]] = []

    async def start(self) -> None:
        """Starts renewing, listening and sweeping; frees what a dead predecessor held."""
        if dead := os.environ.get("OPENCLAW_DEAD_WORKER_ID"):
            with contextlib.suppress(redis.RedisError, OSError):
                log.info("lanes.freed", count=await self.lanes.free_dead(dead))
                await self.slots.free_dead(dead)
        services = (
            self.lanes.renew_forever(),
            self.slots.renew_forever(),
            control_listen(self.control),
            sweep_forever(self),
            approvals_watch(),
            self._watchdog(),
            self._stop_poll(),
        )
        self._services = [asyncio.create_task(service) for service in services]
        self._services.append(asyncio.create_task(self._client_warm()))

    async def _client_warm(self) -> None:
        """Makes the client of the default model: its library takes a second to load.

        So does the list of prices, for a model whose price nobody states.
        """
        with contextlib.suppress(OpenClawError, DatabaseError):
            model = await run_db(default_model)
            await self.pool.client(model)
            await asyncio.to_thread(price_find, model)

    def submit(self, session_id: str) -> None:
        """Looks after a session, if nobody else does. Call it on the engine's loop."""
        if self.draining:
            return
        task = asyncio.create_task(self._look_after(session_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def control(self, message: dict[str, Any]) -> None:
        """Acts on a control message: ends the turns that it names."""
        if message.get("t") == "settings" or message.get("session") == "*":
            cache_clear()
        elif message.get("t") == "credentials":
            states_forget()
        if message.get("t") != "stop":
            return
        for session_id, active in list(self.active.items()):
            if message.get("session") in (session_id, "*"):
                self._stop(active, message)
        for session_id in self._beginning:
            if message.get("session") in (session_id, "*"):
                # Its run may be stored already; it looks here as soon as it is begun.
                self._early_stops[session_id] = message

    def _stop(self, active: Active, message: dict[str, Any]) -> None:
        runs = message.get("runs")
        if runs is None or active.turn.run.pk in runs:
            active.signal.abort(message.get("kind", "stop"))

    async def drain(self) -> None:
        """Claims nothing more, lets turns reach a safe point, leaves the rest to the next start."""
        self.draining = True
        for task in self._waiting:
            if task is not None:
                task.cancel()
        await self._ended(DRAIN_SECONDS)
        for active in list(self.active.values()):
            active.signal.abort("restart")
        await self._ended(DRAIN_SECONDS)
        for active in list(self.active.values()):
            with contextlib.suppress(DatabaseError):
                await run_db(_leave_open, active.turn)
        for task in [*self._services, *self._tasks]:
            task.cancel()
        await self._ended(LAST_SECONDS)
        await self.pool.aclose()

    async def _ended(self, seconds: float) -> None:
        """Returns when no session is looked after any more, or when the time is over."""
        if busy := [task for task in self._tasks if not task.done()]:
            await asyncio.wait(busy, timeout=seconds)

    async def _look_after(self, session_id: str) -> None:
        try:
            lane = await self.lanes.claim(session_id)
        except (redis.RedisError, OSError) as error:
            log.warning("lane.claim_failed", session=session_id, error=str(error))
            return
        if lane is None:
            return
        try:
            await self._rounds(session_id, lane)
        except Session.DoesNotExist:
            log.info("session.gone", session=session_id)
        except LeaseLostError as error:
            log.warning("turn.lease_lost", session=session_id, error=str(error))
        except Exception:
            log.exception("turn.crashed", session=session_id)
        finally:
            self._early_stops.pop(session_id, None)
            await self.lanes.release(lane, force=True)

    async def _rounds(self, session_id: str, lane: Lane) -> None:
        """Works turn after turn until nothing waits and nobody knocked meanwhile."""
        agent, cap = await run_db(agent_of_session, session_id)
        behind = False
        while not self.draining and not lane.lost:
            if behind and (pause := await run_db(gather_seconds, session_id)) > 0:
                with self._idle():
                    await asyncio.sleep(min(pause, LONGEST_NAP))
                continue
            async with AsyncExitStack() as stack:
                with self._idle():
                    await stack.enter_async_context(self.slots.slot(agent, cap))
                if self.draining or lane.lost:
                    return
                turn = await self._begin(session_id)
                if turn is not None and not await self._work(turn, lane):
                    return
            behind = True
            if (turn is None or not turn.more) and not await self.lanes.release(lane):
                return

    @contextlib.contextmanager
    def _idle(self) -> Iterator[None]:
        """Marks the task as one that nothing is lost with when it is cancelled."""
        task = asyncio.current_task()
        self._waiting.add(task)
        try:
            yield
        finally:
            self._waiting.discard(task)

    async def _begin(self, session_id: str) -> Turn | None:
        """The next turn. What cannot be begun three times in a row is explained instead."""
        fault = "" if self._faults[session_id] < TRIES else BROKEN
        # An earlier stop is in the rows already.
        self._early_stops.pop(session_id, None)
        self._beginning.add(session_id)
        self._faults[session_id] += 1
        try:
            turn = await run_db(turn_begin, session_id, self.worker_id, fault=fault)
            failpoint("claimed")
        finally:
            self._beginning.discard(session_id)
        del self._faults[session_id]
        return turn

    async def _work(self, turn: Turn, lane: Lane) -> bool:
        """Works the turn with everything that may end it early. False: it was left open."""
        signal = AbortSignal()
        lane.on_lost = lambda: signal.abort("lease_lost")
        if lane.lost:
            signal.abort("lease_lost")
        active = self.active[turn.session.pk] = Active(turn, signal)
        if early := self._early_stops.pop(turn.session.pk, None):
            self._stop(active, early)
        timer = self._time_limit(turn, signal)
        try:
            return await self._bounded(turn, signal, lane)
        finally:
            if timer is not None:
                timer.cancel()
            self.active.pop(turn.session.pk, None)

    async def _bounded(self, turn: Turn, signal: AbortSignal, lane: Lane) -> bool:
        """Works the turn. Wherever it hangs, it is left HANG_SECONDS after it was asked to end."""
        emitter = self._emitter(turn)
        try:
            async with asyncio.timeout(None) as scope:
                leave = signal.subscribe(lambda: scope.reschedule(_from_now(HANG_SECONDS)))
                try:
                    emitter.seq = await self._shown(turn)
                    return await self._turn(turn, signal, lane, emitter)
                finally:
                    leave()
        except TimeoutError:
            log.error("turn.hung", session=turn.session.pk, run=turn.run.pk, kind=signal.kind)
        if signal.kind == "lease_lost":
            return False
        if signal.kind == "restart":
            await run_db(_leave_open, turn)
            return False
        return await turn_abandon(turn, emitter, signal.kind or "timeout")

    async def _turn(self, turn: Turn, signal: AbortSignal, lane: Lane, emitter: Emitter) -> bool:
        try:
            ended = await turn_work(
                turn, signal, self.pool.stream, emitter, partial(self.lanes.poked, lane)
            )
            if not ended:
                await run_db(_leave_open, turn)
            return ended
        except LeaseLostError:
            raise
        except (OperationalError, InterfaceError) as error:
            # The database was away or busy: the run stays open, and the sweeper resumes it.
            log.warning("turn.left_open", run=turn.run.pk, error=str(error))
            return False
        except Exception as error:
            log.exception("turn.failed", session=turn.session.pk, run=turn.run.pk)
            prompts_forget()
            await turn_give_up(turn, emitter, error)
            return True
        finally:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_SECONDS):
                    await emitter.drain()

    async def _shown(self, turn: Turn) -> int:
        """The number of the last record of the run that watchers were told."""
        if turn.resumed:
            with contextlib.suppress(redis.RedisError, OSError):
                shown = await inflight(turn.session.pk)
                return int(shown["seq"]) if shown and shown["run"] == turn.run.pk else 0
        return 0

    def _emitter(self, turn: Turn) -> Emitter:
        return Emitter(
            session_id=turn.session.pk,
            run=turn.run.pk,
            wire=turn.run.wire_id,
            key=turn.session.key,
            agent=turn.session.agent_slug,
            fence=turn.fence,
            seq=0,
        )

    def _time_limit(self, turn: Turn, signal: AbortSignal) -> asyncio.TimerHandle | None:
        seconds = time_left(turn, timezone.now())
        if seconds is None:
            return None
        return asyncio.get_running_loop().call_later(seconds, signal.abort, "timeout")

    async def _watchdog(self) -> None:
        while True:
            await asyncio.sleep(WATCHDOG_SECONDS)
            for active in list(self.active.values()):
                if time.monotonic() - active.turn.last_commit > SILENT_SECONDS:
                    active.signal.abort("timeout")

    async def _stop_poll(self) -> None:
        while True:
            await asyncio.sleep(STOP_POLL_SECONDS)
            runs = {active.turn.run.pk: active for active in self.active.values()}
            if not runs:
                continue
            with contextlib.suppress(DatabaseError):
                for run_id, kind in await run_db(stops_asked, list(runs)):
                    runs[run_id].signal.abort(kind)


def _from_now(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


def default_model() -> ModelInfo:
    """The model that most turns of this worker will call. Raises OpenClawError."""
    return resolve_model(ref=default_model_ref())


def stops_asked(run_ids: list[str]) -> list[tuple[str, Any]]:
    """Which of these runs were asked to end, and how."""
    if everything_stopped():
        return [(run_id, "stop") for run_id in run_ids]
    asked = Run.objects.filter(pk__in=run_ids).exclude(stop_kind="")
    return list(asked.values_list("id", "stop_kind"))


def _leave_open(turn: Turn) -> None:
    """Marks a run that was left at a planned stop, so that its resumption is not counted, and
    neither is the time until then.
    """
    left = Run.objects.filter(pk=turn.run.pk, fence=turn.fence)
    left.update(worker="", parked_at=timezone.now())
