"""How much of its limit a turn has left after waiting, a planned stop, or a kill."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from django.db.models import F

from agents.database import run_db
from agents.models import Agent
from sessions import engine as engines
from sessions.models import ModelCall, Run
from sessions.turns.limits import time_left, unparked
from sessions.turns.request import TurnRequest
from sessions.turns.turn import Turn
from tests.sessions.stage import Stage

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def turn(*, took: float, parked: float = 0.0, resumed: bool = True, **options: Any) -> Turn:
    """A turn that began `took` seconds ago, as far as its limit is concerned."""
    run = Run(started_at=NOW - timedelta(seconds=took), parked_seconds=parked)
    item = type("Item", (), {"options": options})
    snapshot = type("Snapshot", (), {"timeout_seconds": 600})
    fields = {"run": run, "items": [item], "snapshot": snapshot, "resumed": resumed}
    return cast(Turn, type("Turn", (), fields))


def test_it_works() -> None:
    """Time before a kill counts, time parked does not."""
    assert time_left(turn(took=200), NOW) == 400
    assert time_left(turn(took=5000, parked=4900), NOW) == 500


@pytest.mark.parametrize(
    ("options", "took", "left"),
    [
        ({"timeoutMs": 0}, 10_000, None),
        ({"timeoutMs": 5000}, 2, 3),
        ({"timeoutMs": 5000}, 9999, 0.5),
        ({}, 9999, 60),
    ],
)
def test_stated_limits(options: dict[str, Any], took: float, left: float | None) -> None:
    """A message's own limit holds; a resumed turn has a tenth of it at least."""
    assert time_left(turn(took=took, **options), NOW) == left


def test_a_new_turn_has_it_all() -> None:
    """Whatever its rows say: it waited for a slot, not at work."""
    assert time_left(turn(took=500, resumed=False), NOW) == 600


def test_waiting_is_added_up() -> None:
    """Each time that a run waited counts once."""
    run = Run(parked_seconds=10.0, parked_at=NOW)
    unparked(run, NOW + timedelta(seconds=30))
    unparked(run, NOW + timedelta(seconds=90))
    assert (run.parked_seconds, run.parked_at) == (40.0, None)


async def limited(seconds: int) -> None:
    """Sets the agent's limit."""
    changes = {"is_default": True, "timeout_seconds": seconds}
    await run_db(lambda: Agent.objects.update_or_create(slug="main", defaults=changes))


async def test_after_a_planned_stop(stage: Stage) -> None:
    """The time until the gateway is back is not the turn's."""
    await limited(60)
    first = await stage.engine()
    accepted = await stage.accept("[[hang]]")
    first.submit(accepted.session_id)
    run = await stage.running(accepted)
    await stage.until(lambda: run_db(ModelCall.objects.filter(run=run).exists))
    await first.drain()
    # As if the stop had been an hour ago.
    hour = timedelta(hours=1)
    rows = Run.objects.filter(pk=run.pk)
    changes = {"started_at": F("started_at") - hour, "parked_at": F("parked_at") - hour}
    assert await run_db(lambda: rows.exclude(parked_at=None).update(**changes)) == 1
    second = await stage.engine("w2")
    second.submit(accepted.session_id)
    await stage.until(lambda: accepted.session_id in second.active)
    again = second.active[accepted.session_id].turn
    assert again.resumed
    assert 3600 <= again.run.parked_seconds < 3660
    left = time_left(again, datetime.now(UTC))
    assert left is not None
    assert 6 <= left <= 60
    await run_db(lambda: rows.update(stop_kind="stop"))
    second.active[accepted.session_id].signal.abort("stop")
    await stage.ended(accepted)


async def test_after_a_kill(stage: Stage) -> None:
    """A turn whose limit is long over when it is found ends soon after it was resumed."""
    await limited(2)
    first = await stage.engine()
    accepted = await stage.accept("[[hang]]")
    first.submit(accepted.session_id)
    run = await stage.running(accepted)
    await stage.until(lambda: run_db(ModelCall.objects.filter(run=run).exists))
    await first.drain()
    rows = Run.objects.filter(pk=run.pk)
    past = F("started_at") - timedelta(minutes=5)
    await run_db(lambda: rows.update(worker="w1", parked_at=None, started_at=past))
    second = await stage.engine("w2")
    second.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert (item.outcome, item.detail) == ("stopped", "the time limit")


async def test_a_turn_that_hangs(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it hangs: it is cancelled, explained, and the session goes on."""

    async def never(*_: object) -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(engines, "HANG_SECONDS", 0.2)
    engine = await stage.engine()
    with monkeypatch.context() as broken:
        broken.setattr(TurnRequest, "build", never)
        accepted = await stage.accept("[[echo:never]]", options={"timeoutMs": 200})
        engine.submit(accepted.session_id)
        item = await stage.ended(accepted)
    run = item.run
    assert run is not None
    assert (item.outcome, item.detail) == ("stopped", "the time limit")
    assert (run.outcome, run.stop_reason) == ("aborted", "timeout")
    assert run.error_message.startswith("The turn hung and did not end by itself")
    assert await stage.faults() == []
    accepted = await stage.accept("[[echo:back]]")
    engine.submit(accepted.session_id)
    assert (await stage.ended(accepted)).outcome == "answered"


async def test_the_watchdog(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn without any limit that commits nothing for too long is ended as well."""
    monkeypatch.setattr(engines, "SILENT_SECONDS", 0.3)
    monkeypatch.setattr(engines, "WATCHDOG_SECONDS", 0.1)
    await limited(0)
    engine = await stage.engine()
    accepted = await stage.accept("[[hang]]")
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert (item.outcome, item.detail) == ("stopped", "the time limit")
