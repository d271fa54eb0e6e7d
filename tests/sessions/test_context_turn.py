"""A conversation that is too long for its model is summarised before the model is called."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from agents.config.cache import cache_clear
from agents.context.summary import SummaryMessage
from agents.context.tokens import messages_tokens
from agents.core.answer import Answer
from agents.core.errors import ProviderError, UserError
from agents.core.messages import Message, ToolResultMessage
from agents.core.model import ModelRequest
from agents.database import run_db
from sessions.context.rests import rests_forget
from sessions.models import Compaction, Entry, Transcript
from sessions.turns.history import history_forget
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
    """A known default model, and no compaction that failed before."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENCLAW_MODEL", "openai/scripted")
    cache_clear()
    rests_forget()
    yield
    rests_forget()
    cache_clear()


async def begun(tokens: int = 200_000, text: str = "And now?") -> Turn:
    """A turn behind a conversation of so many tokens."""
    await run_db(lambda: history_write(long_talk(tokens)))
    return await run_db(lambda: turn_start(text))


def rows() -> list[Compaction]:
    """The compactions so far, oldest first."""
    return list(Compaction.objects.order_by("id"))


def paired(messages: list[Message]) -> bool:
    """Whether every result stands behind its call."""
    calls: set[str] = set()
    for message in messages:
        if isinstance(message, ToolResultMessage):
            if message.tool_call_id not in calls:
                return False
        elif message.role == "assistant":
            calls |= {call.id for call in message.tool_calls}
    return True


@pytest.mark.parametrize("window", [32_000, 16_000])
async def test_it_works(window: int) -> None:
    """200,000 tokens on a small model: a summary and the newest messages are sent."""
    turn = await begun()
    asked = Asked()
    context = await context_of(turn, asked)
    sent = list(
        await context.messages(turn.history, model=model(window), system="You help.", tools=())
    )
    assert isinstance(sent[0], SummaryMessage)
    assert "## Goal\nfinish" in str(sent[0].content)
    assert str(sent[-1].content) == "And now?"
    assert messages_tokens(sent) < window * 0.8
    assert paired(sent)
    (row,) = await run_db(rows)
    assert (row.outcome, row.trigger, row.tokens_after < row.tokens_before) == (
        "done", "budget", True,
    )  # fmt: skip
    for request in asked.requests:
        assert messages_tokens(request.messages) < window * 0.7
    history_forget(transcript_id=turn.transcript_id)
    transcript = await run_db(lambda: Transcript.objects.get(pk=turn.transcript_id))
    assert (transcript.leaf, transcript.compactions) == (turn.leaf, 1)


async def test_the_next_turn_begins_with_the_summary() -> None:
    """What was summarised is not sent again, and nothing of it is lost in the rows."""
    turn = await begun()
    count = await run_db(Entry.objects.count)
    context = await context_of(turn, Asked())
    sent = await context.messages(turn.history, model=model(), system="", tools=())
    await run_db(lambda: turn.run.__class__.objects.filter(pk=turn.run.pk).update(state="ended"))
    later = await run_db(lambda: turn_start("More?"))
    assert isinstance(later.history[0], SummaryMessage)
    assert [m.timestamp for m in later.history[:-1]] == [m.timestamp for m in sent]
    assert later.compaction == turn.leaf
    assert await run_db(Entry.objects.count) == count + 2


async def test_what_fits_is_sent_as_it_is() -> None:
    """No model is asked, nothing is stored."""
    turn = await begun(5_000)
    asked = Asked()
    context = await context_of(turn, asked)
    sent = await context.messages(turn.history, model=model(), system="", tools=())
    assert sent is turn.history
    assert asked.requests == []
    assert await run_db(rows) == []
    assert turn.sent == {}


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (Asked(text=" "), "summary_failed"),
        (Asked(error=ProviderError("no", reason="context_overflow")), "summary_failed"),
        (Asked(error=ProviderError("no", http_status=500)), "provider_error_5xx"),
        (Asked(error=ProviderError("no", reason="timeout")), "timeout"),
    ],
)
async def test_a_failed_summary_changes_nothing(asked: Asked, reason: str) -> None:
    """Nothing, an overflow or an error: the history is as it was, and the row says why."""
    turn = await begun(60_000)
    leaf = turn.leaf
    context = await context_of(turn, asked)
    assert not await context.compact(turn.history, model=model(), trigger="budget")
    (row,) = await run_db(rows)
    assert (row.outcome, row.reason, row.entry_id) == ("failed", reason, "")
    assert turn.leaf == leaf
    sent = await context.messages(turn.history, model=model(100_000), system="", tools=())
    assert len(sent) == len(turn.history)


async def test_a_summary_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends at the time limit; the same turn does not wait a second time."""
    turn = await begun(60_000)
    calls = 0

    async def hang(request: ModelRequest) -> Answer:
        nonlocal calls
        calls += 1
        await asyncio.Event().wait()
        raise AssertionError

    context = await context_of(turn, hang)
    limits = context._settings.compaction.model_copy(update={"timeout_seconds": 0.05})
    object.__setattr__(context._settings, "compaction", limits)
    for _ in range(2):
        sent = await context.messages(turn.history, model=model(), system="", tools=())
        assert not isinstance(sent[0], SummaryMessage)
    assert calls == 1
    row = (await run_db(rows))[0]
    assert (row.outcome, row.reason) == ("failed", "timeout")


async def test_a_summary_longer_than_what_it_replaces_counts_as_failed() -> None:
    """It is measured: nothing is stored that does not help."""
    turn = await begun(3_000)
    context = await context_of(turn, Asked(text="word " * 3_000))
    assert not await context.compact(turn.history, model=model(), trigger="manual")
    (row,) = await run_db(rows)
    assert (row.outcome, row.reason) == ("failed", "live_context_still_exceeds_target")


async def test_it_is_skipped_when_just_done() -> None:
    """A second one right behind the first asks nobody."""
    turn = await begun(60_000)
    asked = Asked()
    context = await context_of(turn, asked)
    assert await context.compact(turn.history, model=model(), trigger="manual")
    before = len(asked.requests)
    assert not await context.compact(turn.history, model=model(), trigger="manual")
    assert len(asked.requests) == before
    assert (await run_db(rows))[1].reason == "already_compacted_recently"


async def test_each_overflow_keeps_less() -> None:
    """The service knows better than the estimate."""
    turn = await begun(60_000)
    context = await context_of(turn, Asked())
    sizes = []
    for _ in range(3):
        await context.compact(turn.history, model=model(), trigger="overflow")
        sent = await context.messages(turn.history, model=model(), system="", tools=())
        sizes.append(messages_tokens(sent))
    assert sizes[0] > sizes[1] > sizes[2]


async def test_guard() -> None:
    """Too small is refused with the numbers, small is warned of, enough says nothing."""
    turn = await begun(1_000)
    context = await context_of(turn, Asked())
    with pytest.raises(UserError, match="15,999 tokens .*16,000"):
        context.guard(model(15_999))
    assert "31,999 tokens" in context.guard(model(31_999))
    assert context.guard(model(16_000)) != ""
    assert context.guard(model(32_000)) == ""


async def test_long_results_are_cut_when_a_summary_is_not_enough() -> None:
    """The cut holds in the next turn; the stored results stay whole."""
    turn = await begun(120_000)
    context = await context_of(turn, Asked())
    before = messages_tokens(
        await context.messages(turn.history, model=model(200_000), system="", tools=())
    )
    assert await context.truncate(turn.history, model=model())
    sent = await context.messages(turn.history, model=model(200_000), system="", tools=())
    assert messages_tokens(sent) < before * 0.8
    assert any("characters were left out here" in str(m.content) for m in sent)
    longest = await run_db(
        lambda: max(len(str(b)) for b in Entry.objects.values_list("body", flat=True))
    )
    assert longest > 6_000
    await run_db(lambda: turn.run.__class__.objects.filter(pk=turn.run.pk).update(state="ended"))
    later = await run_db(lambda: turn_start("More?"))
    assert [str(m.content) for m in later.history[:-1]] == [str(m.content) for m in sent]
    assert not isinstance(later.history[0], SummaryMessage)
