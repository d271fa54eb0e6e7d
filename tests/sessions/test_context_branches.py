"""Answering again from a place before a compaction, and requests that are shown as they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.config.cache import cache_clear
from agents.context.pruning import PruningRules, pruned
from agents.context.summary import SummaryMessage
from agents.core.messages import Message, UserMessage
from agents.database import run_db
from sessions.context.rebuild import messages_as_sent
from sessions.context.rests import rests_forget
from sessions.models import Entry, ModelCall, Run
from sessions.turns.history import branch_read, history_forget
from sessions.turns.turn import Turn
from tests.sessions.context_stage import (
    Asked,
    context_of,
    history_write,
    long_talk,
    model,
    turn_start,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A known default model."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENCLAW_MODEL", "openai/scripted")
    cache_clear()
    rests_forget()
    yield
    cache_clear()


async def compacted(tokens: int = 60_000) -> Turn:
    """A turn whose history was just summarised."""
    await run_db(lambda: history_write(long_talk(tokens)))
    turn = await run_db(lambda: turn_start("And now?"))
    context = await context_of(turn, Asked())
    assert await context.compact(turn.history, model=model(), trigger="budget")
    await run_db(lambda: Run.objects.filter(pk=turn.run.pk).update(state="ended"))
    return turn


def said(messages: Sequence[Message]) -> list[str]:
    """Their contents, to be compared."""
    return [str(message.content) for message in messages]


async def test_it_works() -> None:
    """From an early place the old messages are sent as they were, without a summary."""
    turn = await compacted()
    early = await run_db(lambda: Entry.objects.get(seq=6))
    again = await run_db(lambda: turn_start("Otherwise?", expectedLeafEntryId=early.entry_id))
    assert not any(isinstance(message, SummaryMessage) for message in again.history)
    assert len(again.history) == 7
    assert again.compaction == ""
    assert again.transcript_id == turn.transcript_id


async def test_behind_the_compaction() -> None:
    """The place of the summary itself is one that can be answered from again."""
    turn = await compacted()
    again = await run_db(lambda: turn_start("Once more?", expectedLeafEntryId=turn.leaf))
    assert isinstance(again.history[0], SummaryMessage)
    assert str(again.history[-1].content) == "Once more?"


async def test_a_second_compaction_goes_on_from_the_first() -> None:
    """The earlier summary is handed over, and stands for nothing any more."""
    turn = await compacted()
    talk = [UserMessage(f"later {n} " + "w" * 4_000) for n in range(60)]
    await run_db(lambda: history_write(talk))
    later = await run_db(lambda: turn_start("And then?"))
    asked = Asked("## Goal\nthe second")
    context = await context_of(later, asked)
    sent = await context.messages(later.history, model=model(), system="", tools=())
    assert "## Goal\nfinish" in asked.prompts[0]
    assert sum(isinstance(message, SummaryMessage) for message in sent) == 1
    assert "the second" in str(sent[0].content)
    assert later.leaf != turn.leaf


async def test_reading_stops_at_the_summary() -> None:
    """What is not kept is not read; the rest is the same in a process that knows nothing."""
    turn = await compacted(200_000)
    history_forget(transcript_id=turn.transcript_id)
    branch = await run_db(
        lambda: branch_read(
            transcript_id=turn.transcript_id, leaf=turn.leaf, last_seq=turn.next_seq - 1
        )
    )
    count = await run_db(Entry.objects.count)
    assert 0 < len(branch.items) < count // 2
    assert branch.entry == turn.leaf


async def test_a_request_is_shown_as_it_was() -> None:
    """Summary, kept, pruned and shortened messages: what the row refers to gives the same."""
    await run_db(lambda: history_write(long_talk(100_000, turns=20)))
    turn = await run_db(lambda: turn_start("And now?"))
    context = await context_of(turn, Asked())
    assert await context.compact(turn.history, model=model(60_000), trigger="budget")
    assert await context.truncate(turn.history, model=model(60_000))
    rules = PruningRules(ttl=0.0005, soft_ratio=0.0, hard_ratio=0.02, min_prunable_chars=0)
    object.__setattr__(context._settings, "pruning", rules)
    sent = await context.messages(turn.history, model=model(60_000), system="", tools=())
    call = ModelCall(run=turn.run, number=1, leaf="", context=turn.sent)
    turn.run.transcript = await run_db(lambda: type(turn.run.transcript).objects.get())
    shown = await run_db(lambda: messages_as_sent(call))
    assert said([one.message for one in shown]) == said(sent)
    assert {one.note for one in shown} >= {"summary", "cleared"}


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.integers(min_value=0, max_value=30), st.integers(min_value=1, max_value=40))
def test_pruning_leaves_the_rows_alone(ratio: int, turns: int) -> None:
    """Whatever is pruned for a request, the stored transcript stays word for word."""
    messages = long_talk(40_000, turns=turns)
    before = said(messages)
    rules = PruningRules(ttl=0.0005, soft_ratio=ratio / 100, hard_ratio=ratio / 60)
    found = pruned(messages, rules, window=32_000)
    assert said(messages) == before
    assert len(found.messages) == len(messages)
