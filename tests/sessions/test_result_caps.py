"""Long tool results are cut before they are stored; the rest can be read page by page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agents.context.caps import result_limit
from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.tools import ToolContext, ToolResult
from agents.database import run_db
from sessions.agent_tools import READ_RESULT
from sessions.context.result_caps import RESULT_CHARS, result_capped
from sessions.models import Artifact, Entry, Session, ToolCall
from tests.sessions.context_stage import KEY, history_write, owner
from tests.sessions.stage import Stage, text_of

CAP = 16_000


async def read(context: ToolContext, **arguments: Any) -> str:
    """One page of a stored result."""

    async def unseen(partial: ToolResult) -> None:
        raise AssertionError(partial)

    answer = await READ_RESULT.execute("c1", arguments, context, AbortSignal(), unseen)
    return blocks_text(answer.content)


async def place(settings: Mapping[str, Any] | None = None, key: str = KEY) -> ToolContext:
    """Where a tool of the owner runs."""
    await run_db(lambda: history_write([], key=key))
    principal = await run_db(owner)
    return ToolContext("main", key, Path("/tmp"), principal, settings=settings or {})


async def test_it_works(stage: Stage) -> None:
    """A command prints a megabyte: a part is stored, with a note, and the rest can be read."""
    engine = await stage.engine()
    asked = '[[tool:exec {"command":"seq 1 150000"}]] [[final:counted]]'
    message = await stage.accept(asked)
    engine.submit(message.session_id)
    assert (await stage.ended(message)).outcome == "answered"
    body = await run_db(lambda: Entry.objects.get(role="toolResult").body)
    call = await run_db(ToolCall.objects.get)
    text = text_of(body)
    assert text == text_of(call.result or {})
    assert len(text) < CAP + 300
    assert text.startswith("1\n2\n3\n")
    assert "150000" in text[-100:]
    (stored,) = re.findall(r'read_result \{"id": "(\w+)"', text)
    assert call.details["fullResult"] == stored
    context = await place(key="agent:main:stage")
    again = f'[[tool:read_result {{"id":"{stored}","offset":20000}}]] [[final:read on]]'
    later = await stage.accept(again)
    engine.submit(later.session_id)
    assert (await stage.ended(later)).outcome == "answered"
    page = await run_db(lambda: Entry.objects.filter(role="toolResult").order_by("seq")[1].body)
    assert "[Characters 20000-" in text_of(page)
    assert text_of(page).startswith(await read(context, id=stored, offset=20000))
    await stage.idle(engine)
    assert await stage.faults() == []


async def test_all_pages_are_the_whole(stage: Stage) -> None:
    """Page after page gives every character once."""
    context = await place()
    whole = "".join(f"line {number}: {'é日🦞' * (number % 7)}\n" for number in range(9_000))
    cut = await result_capped(ToolResult.text(whole), context, tool="search")
    assert len(blocks_text(cut.content)) < CAP + 300
    offset, pages = 0, []
    while True:
        page, _, note = (
            await read(context, id=cut.details["fullResult"], offset=offset)
        ).rpartition("\n\n[")
        pages.append(page)
        if "the end" in note:
            break
        (offset,) = map(int, re.findall(r"offset=(\d+)", note))
    assert "".join(pages) == whole


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "\0" * 1_000_000, "ab\n" * 200_000, "日" * 500_000, "{" * 40_000]
)
async def test_odd_texts(stage: Stage, text: str) -> None:
    """One line, zeros, very many lines: cut to the limit, and marked."""
    context = await place()
    cut = await result_capped(ToolResult.text(text), context, tool="read")
    shown = blocks_text(cut.content)
    assert len(shown) < CAP + 300
    assert f"of {len(text):,} characters were left out here" in shown


async def test_what_fits_is_left_alone(stage: Stage) -> None:
    """The same object, and no file."""
    context = await place()
    result = ToolResult.text("x" * CAP)
    assert await result_capped(result, context, tool="read") is result
    assert not await run_db(Artifact.objects.exists)


async def test_a_small_window_allows_less(stage: Stage) -> None:
    """30 % of the window in characters, when that is less than the fixed limit."""
    assert result_limit(8_000, CAP) == 9_600
    assert result_limit(32_000, CAP) == CAP
    context = await place({RESULT_CHARS: 9_600})
    cut = await result_capped(ToolResult.text("x" * 20_000), context, tool="read")
    assert 9_000 < len(blocks_text(cut.content)) < 9_900


async def test_only_of_this_conversation(stage: Stage) -> None:
    """Another session's result, an unknown one and one of a session before are not found."""
    mine = await place()
    theirs = await place(key="agent:main:other")
    cut = await result_capped(ToolResult.text("x" * 20_000), mine, tool="read")
    stored = cut.details["fullResult"]
    assert "Characters 0-" in await read(mine, id=stored)
    for context, name in ((theirs, stored), (mine, "unknown")):
        with pytest.raises(ToolError, match="this conversation has no stored result"):
            await read(context, id=name)
    await run_db(Session.objects.filter(key=KEY).delete)
    await place()
    with pytest.raises(ToolError, match="this conversation has no stored result"):
        await read(mine, id=stored)


async def test_bad_places(stage: Stage) -> None:
    """Each fault names its field."""
    context = await place()
    cut = await result_capped(ToolResult.text("x" * 20_000), context, tool="read")
    with pytest.raises(ToolError, match="offset: 20000 is beyond the end"):
        await read(context, id=cut.details["fullResult"], offset=20_000)
    with pytest.raises(ToolError, match="id: expected text"):
        await read(context)
