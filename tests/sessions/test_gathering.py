"""Messages behind a turn are gathered for a moment; an idle session starts at once."""

from __future__ import annotations

from typing import Any

import orjson

from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import InboxItem
from sessions.stops import run_stop
from sessions.work_queue import gather_seconds
from tests.sessions.stage import KEY, Stage

HOUR_MS = 3_600_000


async def configure(**queue: Any) -> None:
    """Sets `messages.queue`."""
    text = orjson.dumps({"messages": {"queue": queue}}).decode()
    await run_db(lambda: config_apply(text=text, author="test"))


async def gathering(stage: Stage) -> list[Any]:
    """A turn has ended, and two messages behind it are being gathered."""
    engine = await stage.engine()
    first = await stage.accept("[[delay:300]] [[echo:first]]")
    engine.submit(first.session_id)
    await stage.running(first)
    behind = [await stage.accept(f"[[echo:{word}]]") for word in ("second", "third")]
    engine.submit(first.session_id)
    await stage.ended(first)
    await stage.until(lambda: bool(engine._waiting))
    return behind


async def test_it_works(stage: Stage) -> None:
    """Two messages become one question."""
    await configure(debounceMs=2000)
    behind = await gathering(stage)
    items = [await stage.ended(one) for one in behind]
    assert [item.outcome for item in items] == ["answered", "merged"]


async def test_an_idle_session_starts_at_once(stage: Stage) -> None:
    """However long the quiet time is."""
    await configure(debounceMs=HOUR_MS)
    engine = await stage.engine()
    accepted = await stage.accept("[[echo:now]]")
    engine.submit(accepted.session_id)
    assert (await stage.ended(accepted)).outcome == "answered"


async def test_another_mode_does_not_wait(stage: Stage) -> None:
    """A message that is answered by itself ends the gathering."""
    await configure(debounceMs=HOUR_MS)
    behind = await gathering(stage)
    await stage.accept("[[echo:alone]]", queue_mode="followup")
    assert (await stage.ended(behind[1])).outcome == "merged"


async def test_a_full_queue_does_not_wait(stage: Stage) -> None:
    """Somebody who writes without a pause is answered."""
    await configure(debounceMs=HOUR_MS, cap=3)
    behind = await gathering(stage)
    await stage.accept("one more")
    assert (await stage.ended(behind[1])).outcome == "merged"


async def test_a_stop_ends_it(stage: Stage) -> None:
    """Nothing is left to wait for, and the lane is given back."""
    await configure(debounceMs=HOUR_MS)
    behind = await gathering(stage)
    owner = await stage.owner()
    reached = await run_db(lambda: run_stop(principal=owner, session_key=KEY))
    assert reached == [one.run_id for one in behind]
    await stage.idle(stage.engines[0])
    assert await stage.faults() == []


async def test_only_what_is_young_waits(stage: Stage) -> None:
    """A message that waited for long already does not wait once more."""
    await configure(debounceMs=100)
    accepted = await stage.accept("hello")
    assert 0 < await run_db(gather_seconds, accepted.session_id) <= 0.1

    async def over() -> bool:
        return await run_db(gather_seconds, accepted.session_id) == 0

    await stage.until(over)
    await run_db(lambda: InboxItem.objects.update(outcome="stopped"))
    assert await run_db(gather_seconds, accepted.session_id) == 0
