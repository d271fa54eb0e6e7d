"""Skills that people call."""

from __future__ import annotations

import pytest

from agents.core.errors import NotFound
from sessions.commands import Command
from sessions.skill_commands import skill_command, skill_list, skill_message
from tests.gateway_client import GatewayClient, text_of


async def test_it_works(client: GatewayClient, key: str) -> None:
    """The model is told which skill to use; what stood behind it is the request."""
    await client.turn(key, "/tidy_notes [[echo:of May]]")
    asked, answer = [text_of(row) for row in await client.history(key)]
    assert asked.startswith("Use the skill tidy-notes: read /")
    assert asked.endswith("SKILL.md and do as it says.\n\n[[echo:of May]]")
    assert answer == "of May"


async def test_the_list_and_a_wrong_name(client: GatewayClient, key: str) -> None:
    """Both are answered without the model."""
    assert "/tidy_notes: Goes through" in (await client.turn(key, "/skill")).text
    ended = await client.turn(key, "/skill tidy-note x")
    assert ended.text == "There is no skill tidy-note. Did you mean tidy-notes?"
    assert await client.history(key) == []


@pytest.mark.django_db
def test_what_is_a_command() -> None:
    assert skill_command(text="/tidy_notes now", agent="main") == Command("skill", "tidy-notes now")
    assert skill_command(text="/TIDY_NOTES: now", agent="main") == Command(
        "skill", "tidy-notes now"
    )
    for text in ("/nothing", "tidy_notes", "/tidy_notes_and_more", "/stop", "/status", "/ x", "/"):
        assert skill_command(text=text, agent="main") is None
    assert skill_command(text="/tidy_notes", agent="nobody") is None


@pytest.mark.django_db
def test_either_name_will_do() -> None:
    for name in ("tidy-notes", "tidy_notes", "Tidy-Notes"):
        assert "skill tidy-notes" in skill_message(rest=f"{name} x", agent="main")
    with pytest.raises(NotFound):
        skill_message(rest="zzz", agent="main")
    assert skill_list(agent="main").count("\n") >= 2
