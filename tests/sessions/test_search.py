"""Finding what was said."""

from __future__ import annotations

import pytest

from agents.core.principal import Principal
from agents.database import run_db
from sessions.selectors import session_search
from tests.sessions.stage import Stage


async def say(stage: Stage, *texts: str) -> None:
    """Each text is a turn of its own."""
    engine = await stage.engine()
    for text in texts:
        accepted = await stage.accept(text)
        engine.submit(accepted.session_id)
        await stage.ended(accepted)


async def found(principal: Principal, query: str, limit: int = 20) -> list[str]:
    hits = await run_db(session_search, principal=principal, query=query, limit=limit)
    return [hit["snippet"] for hit in hits if hit["role"] == "user"]


async def test_it_works(stage: Stage) -> None:
    await say(stage, "plan the garden")

    assert await found(await stage.owner(), "THE garden") == ["plan the garden"]
    assert await found(await stage.owner(), "the house") == []
    assert await found(await stage.owner(), " ") == []


@pytest.mark.parametrize(
    "query",
    ["ümlaut", "ÜMLAUT", "привет", "Привет", "日本", "\U0001f600", 'say "so"', "a\\b", "50%"],
)
async def test_any_writing_and_punctuation(stage: Stage, query: str) -> None:
    text = 'Ümlaut Привет 日本 \U0001f600 say "so" a\\b 50% of it'
    await say(stage, text)

    assert len(await found(await stage.owner(), query)) == 1


async def test_names_inside_the_stored_form_hide_nothing(stage: Stage) -> None:
    """Every stored message holds the word "content", this one says it."""
    await say(stage, "the content matters", "one", "two", "three", "four")

    assert await found(await stage.owner(), "content", limit=1) == ["the content matters"]
