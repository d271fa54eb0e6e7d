"""Conversations that start over by themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.utils import timezone

from agents.config.services import config_apply
from agents.database import run_db
from sessions.models import Session, Transcript
from sessions.people import owner_ensure
from sessions.services import session_create, session_reset
from tests.sessions.stage import KEY, Stage


async def configure(**reset: Any) -> None:
    """Sets `session.reset`."""
    text = orjson.dumps({"session": {"reset": reset}}).decode()
    await run_db(lambda: config_apply(text=text, author="test"))


async def say(stage: Stage, text: str) -> None:
    """A message and its answer."""
    engine = stage.engines[0] if stage.engines else await stage.engine()
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    await stage.ended(accepted)
    await stage.idle(engine)


async def age(**by: timedelta) -> None:
    """Makes the current transcript older."""
    transcript = await run_db(lambda: Session.objects.select_related("current").get(key=KEY))
    changes = {name: timezone.now() - delta for name, delta in by.items()}
    await run_db(lambda: Transcript.objects.filter(pk=transcript.current_id).update(**changes))


async def ends() -> list[str]:
    """How the transcripts of the session ended, oldest first; "" for the current one."""
    rows = Transcript.objects.filter(session__key=KEY).order_by("session_started_at")
    return await run_db(lambda: list(rows.values_list("end_reason", flat=True)))


async def test_it_works(stage: Stage) -> None:
    """A conversation of the day before is over; the next message begins another."""
    await say(stage, "[[echo:yesterday]]")
    await age(session_started_at=timedelta(days=1))
    await say(stage, "[[echo:today]]")
    assert await ends() == ["daily", ""]
    session = await run_db(lambda: Session.objects.select_related("current").get(key=KEY))
    assert session.current is not None
    assert session.current.next_seq == 3, "the new transcript is numbered from one"
    assert await stage.faults() == []


async def test_on_the_same_day(stage: Stage) -> None:
    """It goes on."""
    await say(stage, "one")
    await say(stage, "two")
    assert await ends() == [""]


async def test_an_empty_conversation_is_not_over(stage: Stage) -> None:
    """There is nothing to start over."""
    await run_db(_empty_session)
    await age(session_started_at=timedelta(days=3))
    await say(stage, "hello")
    assert await ends() == [""]


def _empty_session() -> None:
    principal = owner_ensure().principal()
    session_create(principal=principal, key=KEY)
    session_reset(principal=principal, key=KEY)


async def test_after_idle_time(stage: Stage) -> None:
    """Counted from the last message of a person, not from the start."""
    await configure(mode="idle", idleMinutes=30)
    await say(stage, "one")
    await age(session_started_at=timedelta(hours=9), last_interaction_at=timedelta(minutes=20))
    await say(stage, "two")
    assert await ends() == [""]
    await age(last_interaction_at=timedelta(minutes=40))
    await say(stage, "three")
    assert await ends() == ["idle", ""]


@pytest.mark.parametrize("mode", ["none"])
async def test_never(stage: Stage, mode: str) -> None:
    """If that is what is configured."""
    await configure(mode=mode)
    await say(stage, "one")
    await age(session_started_at=timedelta(days=30), last_interaction_at=timedelta(days=30))
    await say(stage, "two")
    assert await ends() == [""]


async def test_a_message_from_another_zone(stage: Stage) -> None:
    """The hour is that of whoever writes; an unknown zone does not break the turn."""
    await say(stage, "one")
    accepted = await stage.accept("two")
    item = await stage.item(accepted)
    item.principal["zone"] = "Nowhere/Land"
    await run_db(item.save)
    engine = stage.engines[0]
    engine.submit(accepted.session_id)
    assert (await stage.ended(accepted)).outcome == "answered"
