"""The proof must be able to fail: every kind of fault is found in rows made by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from agents.database import run_db
from sessions import ledger
from sessions.lanes import lane_key
from sessions.ledger import ledger_check
from sessions.models import Approval, Delivery, Entry, InboundReceipt, InboxItem, Run, ToolCall
from sessions.redis_client import redis_async
from sessions.stops import everything_stop
from sessions.turns.begin import turn_begin
from sessions.turns.writes import run_park
from tests.platform.redis_server import RedisServer
from tests.sessions.stage import Stage

MESSAGE = '[[tool:exec {"command":"echo x"}]] [[final:done]]'


async def answered(stage: Stage, text: str = MESSAGE) -> Run:
    """A turn with a tool call whose accounts balance."""
    engine = await stage.engine()
    accepted = await stage.accept(text)
    engine.submit(accepted.session_id)
    run = (await stage.ended(accepted)).run
    assert run is not None
    await stage.idle(engine)
    assert await stage.faults() == []
    return run


async def kinds(stage: Stage, *, settled: bool = True) -> set[str]:
    """The kinds of fault that are found."""
    return {fault.kind for fault in await stage.faults(settled=settled)}


async def test_it_works(stage: Stage) -> None:
    """A clean ledger counts its messages; the command says so and ends well."""
    await answered(stage)
    found = await run_db(ledger_check)
    assert (found.clean, found.counts) == (True, {"answered": 1, "waiting": 0})
    await run_db(call_command, "ledger", "check", "--settled")


def item_of(run: Run) -> Any:
    """The message that a run answered."""
    return InboxItem.objects.filter(run=run)


def copy(entry: Entry, **changes: Any) -> Entry:
    """Another entry behind all others of the transcript."""
    entry.pk, entry.entry_id = None, "c0ffee00"
    entry.seq = Entry.objects.filter(transcript_id=entry.transcript_id).count() + 1
    for name, value in changes.items():
        setattr(entry, name, value)
    entry.save()
    return entry


def entry(run: Run, role: str) -> Entry:
    """The last entry of a run with this role."""
    found = Entry.objects.filter(run_id=run.pk, role=role).order_by("seq").last()
    assert found is not None
    return found


def receipt_alone(run: Run) -> None:
    """A receipt, but no message."""
    InboundReceipt.objects.create(source="x", source_id="y", digest="")


def copied(run: Run) -> None:
    """The same delivery twice."""
    delivery = Delivery.objects.get(run=run)
    delivery.pk = "another"
    delivery.save(force_insert=True)


def asked(run: Run) -> Approval:
    """A question of a run that nobody has answered."""
    return Approval.objects.create(
        slug="code",
        run=run,
        session_id=run.session_id,
        agent_slug="main",
        expires_at=timezone.now() + timedelta(minutes=30),
    )


SPOILED: dict[str, Callable[[Run], Any]] = {
    "receipt-without-message": receipt_alone,
    "message-left-behind": lambda run: item_of(run).update(outcome=""),
    "outcome-without-run": lambda run: item_of(run).update(outcome="merged", run=None),
    "outcome-of-another-end": lambda run: item_of(run).update(outcome="explained"),
    "answered-without-answer": lambda run: Entry.objects.filter(role="assistant").delete(),
    "run-for-nobody": lambda run: item_of(run).update(run=None),
    "message-not-in-transcript": lambda run: item_of(run).update(entry_id="deadbeef"),
    "message-twice": lambda run: copy(entry(run, "user")),
    "answered-twice": lambda run: copy(entry(run, "assistant")),
    "tool-call-open": lambda run: ToolCall.objects.update(state="started"),
    "orphan-tool-call": lambda run: entry(run, "toolResult").delete(),
    "reply-without-receipt": lambda run: Delivery.objects.all().delete(),
    "delivered-twice": copied,
    "sent-without-receipt": lambda run: Delivery.objects.update(receipt=""),
    "delivery-without-reason": lambda run: Delivery.objects.update(state="unknown"),
    "approval-left-open": asked,
}


@pytest.mark.parametrize("kind", SPOILED)
async def test_a_spoiled_row(stage: Stage, kind: str) -> None:
    """Each fault is found, whether or not the gateway is at rest."""
    run = await answered(stage)
    await run_db(SPOILED[kind], run)
    assert kind in await kinds(stage)
    assert kind in await kinds(stage, settled=False)
    with pytest.raises(SystemExit):
        await run_db(call_command, "ledger", "check")


async def test_a_result_without_a_call(stage: Stage) -> None:
    """The other half of an orphan."""
    run = await answered(stage)
    await run_db(lambda: copy(entry(run, "toolResult"), body={"toolCallId": "nobody"}))
    assert await kinds(stage) == {"orphan-tool-call"}


async def test_an_explanation_without_reason(stage: Stage) -> None:
    """Explained means that a reason was given."""
    engine = await stage.engine()
    accepted = await stage.accept("[[status:401]]")
    engine.submit(accepted.session_id)
    await stage.ended(accepted)
    await stage.idle(engine)
    assert await kinds(stage) == set()
    await run_db(lambda: Run.objects.update(error_message=""))
    assert await kinds(stage) == {"explained-without-reason"}


async def test_a_stop_by_nobody(stage: Stage) -> None:
    """Stopped means by whom."""
    engine = await stage.engine()
    accepted = await stage.accept("[[hang]]", options={"timeoutMs": 100})
    engine.submit(accepted.session_id)
    await stage.ended(accepted)
    await stage.idle(engine)
    assert await kinds(stage) == set()
    await run_db(lambda: InboxItem.objects.update(detail=""))
    assert await kinds(stage) == {"stopped-by-nobody"}


async def test_a_message_that_waits(stage: Stage) -> None:
    """At rest nothing may wait; else it may for a while."""
    await stage.accept("hello")
    assert await kinds(stage) == {"message-without-outcome"}
    assert await kinds(stage, settled=False) == set()
    await age(InboxItem, "accepted_at")
    assert await kinds(stage, settled=False) == {"message-without-outcome"}
    await run_db(lambda: everything_stop(by="ann"))
    assert await kinds(stage) == set()


async def age(model: Any, field: str) -> None:
    """Makes rows older than any lease."""
    old = {field: F(field) - timedelta(hours=1)}
    await run_db(lambda: model.objects.update(**old))


async def test_a_run_that_nobody_works_on(stage: Stage) -> None:
    """A run needs a lane that somebody holds, or has to be young."""
    accepted = await stage.accept("hello")
    assert await run_db(turn_begin, accepted.session_id, "dead") is not None
    assert "run-without-end" in await kinds(stage)
    assert await kinds(stage, settled=False) == set()
    await age(Run, "started_at")
    assert await kinds(stage, settled=False) == {"run-abandoned"}
    await redis_async().set(lane_key(accepted.session_id), "w1|x", px=15_000)
    assert await kinds(stage, settled=False) == set()


async def test_a_run_that_waits_for_nothing(stage: Stage) -> None:
    """A parked run has a question, and a question has a worker that ends it in time."""
    accepted = await stage.accept("hello")
    turn = await run_db(turn_begin, accepted.session_id, "dead")
    assert turn is not None
    await run_db(run_park, turn)
    assert "parked-for-nothing" in await kinds(stage)
    assert await kinds(stage, settled=False) == set()
    await age(Run, "parked_at")
    assert await kinds(stage, settled=False) == {"parked-for-nothing"}
    await run_db(asked, turn.run)
    assert await kinds(stage, settled=False) == set()
    await age(Approval, "expires_at")
    assert await kinds(stage, settled=False) == {"approval-overdue"}


async def test_an_outcome_before_the_end(stage: Stage) -> None:
    """Nothing has an outcome while its run is open."""
    accepted = await stage.accept("hello")
    assert await run_db(turn_begin, accepted.session_id, "dead") is not None
    await run_db(lambda: InboxItem.objects.update(outcome="answered", ended_at=timezone.now()))
    assert "outcome-before-end" in await kinds(stage, settled=False)


async def test_lanes(stage: Stage, redis_server: RedisServer) -> None:
    """A lane without a lease, one that is held at rest, and no Redis at all."""
    await redis_async().set(lane_key("s1"), "w1|x")
    assert await kinds(stage, settled=False) == {"lane-without-lease"}
    await redis_async().set(lane_key("s1"), "w1|x", px=15_000)
    assert await kinds(stage, settled=False) == set()
    assert await kinds(stage) == {"lane-held"}
    redis_server.stop(kill=True)
    try:
        assert await kinds(stage, settled=False) == {"redis-away"}
    finally:
        redis_server.start()


def test_every_kind_is_tried() -> None:
    """Whoever adds a check adds a row that fails it."""
    assert ledger.__file__ is not None
    source, here = Path(ledger.__file__).read_text(), Path(__file__).read_text()
    named = {part.split('"')[1] for part in source.split("Fault(")[1:] if part[:1] == '"'}
    assert len(named) > 15
    assert {kind for kind in named if f'"{kind}"' not in here} == set()
