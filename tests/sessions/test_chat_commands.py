"""Words that act at once and are answered without the model."""

from __future__ import annotations

import asyncio

import pytest

from sessions.models import Session, Transcript
from tests.gateway_client import GatewayClient, text_of
from tests.sessions.gateway_rows import GatewayRows


async def test_it_works(client: GatewayClient, key: str) -> None:
    """/status is answered; the transcript does not know of it."""
    ended = await client.turn(key, "/status")
    assert ended.state == "final"
    assert key in ended.text
    assert await client.history(key) == []


@pytest.mark.parametrize("word", ["/stop", "please stop", "STOP!", "стоп"])
async def test_stop_ends_what_runs(client: GatewayClient, key: str, word: str) -> None:
    """It passes the queue, and says what it reached."""
    running = await client.send(key, "[[tokens:2000:20]]")
    await client.until_streaming(running)
    waiting = await client.send(key, "more", queueMode="followup")
    ended = await client.turn(key, word)
    assert ended.text == "Stopped. 2 message(s) ended."
    assert (await client.ended(running)).state == "aborted"
    assert (await client.ended(waiting)).state == "aborted"
    assert len(client.ends(ended.run)) == 1


async def test_stop_without_anything(client: GatewayClient, key: str) -> None:
    """Nothing is running."""
    assert (await client.turn(key, "/stop")).text == "Nothing is running."


async def test_new_starts_over(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """The old conversation stays stored; the next turn knows nothing of it."""
    await client.turn(key, "[[echo:old]]")
    await client.turn(key, "/new")
    assert await client.history(key) == []
    await client.turn(key, "[[echo:fresh]]")
    assert [text_of(row) for row in await client.history(key)] == ["[[echo:fresh]]", "fresh"]
    found = await rows.read(
        lambda alias: list(
            Transcript.objects.using(alias)
            .filter(session__key=key)
            .order_by("session_started_at")
            .values_list("end_reason", flat=True)
        )
    )
    assert found == ["new", ""]


async def test_new_ends_what_waits(client: GatewayClient, key: str) -> None:
    """What was asked in the old conversation is not answered in the new one."""
    running = await client.send(key, "[[tokens:2000:20]]")
    await client.until_streaming(running)
    waiting = await client.send(key, "more", queueMode="followup")
    await client.turn(key, "/new")
    assert {(await client.ended(run)).state for run in (running, waiting)} == {"aborted"}
    assert await client.history(key) == []


async def test_new_with_a_message(client: GatewayClient, key: str) -> None:
    """The rest is the first message of the new conversation."""
    await client.turn(key, "[[echo:old]]")
    assert (await client.turn(key, "/new [[echo:fresh]]")).text == "fresh"
    assert [text_of(row) for row in await client.history(key)] == ["[[echo:fresh]]", "fresh"]


async def test_new_with_a_message_while_a_turn_runs(client: GatewayClient, key: str) -> None:
    """The turn ends, the message is answered, however close they are."""
    for _ in range(5):
        running = await client.send(key, "[[tokens:4:5]]")
        ended = await client.turn(key, "/new [[echo:fresh]]")
        assert (ended.state, ended.text) == ("final", "fresh")
        assert (await client.ended(running)).state in ("final", "aborted")
        assert [text_of(row) for row in await client.history(key)] == ["[[echo:fresh]]", "fresh"]


async def test_queue_sets_the_mode(client: GatewayClient, rows: GatewayRows, key: str) -> None:
    """It holds for what comes later, until it is set back."""
    assert (await client.turn(key, "/queue")).text == "Queue mode: collect."
    assert (await client.turn(key, "/queue interrupt")).text == "Queue mode is now interrupt."
    running = await client.send(key, "[[tokens:2000:20]]")
    await client.until_streaming(running)
    assert (await client.turn(key, "[[echo:instead]]")).text == "instead"
    assert (await client.ended(running)).state == "aborted"
    await client.turn(key, "/queue default")
    session = await rows.read(lambda alias: Session.objects.using(alias).get(key=key))
    assert session.queue_mode == ""


async def test_queue_names_the_modes(client: GatewayClient, key: str) -> None:
    """An unknown word is answered with the known ones."""
    ended = await client.turn(key, "/queue loudly")
    assert "steer, followup, collect, interrupt" in ended.text


async def test_other_words_are_messages(client: GatewayClient, key: str) -> None:
    """An unknown slash word, and a stop word inside a sentence."""
    for text in ("/etc/passwd", "do not stop here", "/stop it"):
        assert (await client.turn(key, text)).text == "ok"
    assert len(await client.history(key)) == 6


async def test_the_same_command_twice_acts_once(client: GatewayClient, key: str) -> None:
    """A repeated run id finds the answer and changes nothing."""
    await client.turn(key, "[[echo:old]]")
    first = await client.turn(key, "/new", run=f"{key}-new")
    await client.turn(key, "[[echo:fresh]]")
    fields = {"sessionKey": key, "message": "/new", "idempotencyKey": first.run}
    answers = await asyncio.gather(*(client.request("chat.send", fields) for _ in range(3)))
    assert {answer["status"] for answer in answers} == {"ok"}
    assert len(await client.history(key)) == 2
