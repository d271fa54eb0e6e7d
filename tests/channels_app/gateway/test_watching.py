"""Events go to the sockets that opened a session, and only if it is theirs."""

from __future__ import annotations

from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.people import signed_in
from tests.channels_app.gateway.run import KEY, Run, session_make


async def test_it_works(door: Door) -> None:
    session = await session_make()
    watching, other = await door.connect(), await door.connect()
    await watching.call("sessions.messages.subscribe", {"key": KEY})
    await Run(session, "w1").end("Hi")
    await watching.chat("final", "w1")
    assert await other.settle() == []


async def test_a_session_of_somebody_else_stays_silent(door: Door) -> None:
    session = await session_make()
    _ada, cookie = await signed_in("ada")
    page = await door.page(cookie)
    answer = await page.call("sessions.messages.subscribe", {"key": KEY})
    assert answer == {"subscribed": True, "key": KEY}
    boss = await door.connect()
    await boss.call("sessions.messages.subscribe", {"key": KEY})
    await Run(session, "w1").end("Secret")
    await boss.chat("final", "w1")
    assert [event["event"] for event in await page.settle() if event["event"] == "chat"] == []


async def test_a_session_can_be_opened_before_it_exists(door: Door) -> None:
    ada, cookie = await signed_in("ada")
    page = await door.page(cookie)
    key = f"agent:main:web:{ada.id}"
    await page.call("sessions.messages.subscribe", {"key": key})
    session = await session_make(key, ada)
    await Run(session, "w1").end("Hi")
    assert (await page.chat("final", "w1"))["sessionKey"] == key


async def test_unsubscribed(door: Door) -> None:
    session = await session_make()
    socket = await door.connect()
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    await socket.call("sessions.messages.unsubscribe", {"key": KEY})
    other = await door.connect()
    await other.call("sessions.messages.subscribe", {"key": KEY})
    await Run(session, "w1").end("Hi")
    await other.chat("final", "w1")
    assert await socket.settle() == []


async def test_committed_messages_go_to_readers(door: Door) -> None:
    session = await session_make()
    socket = await door.connect()
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    run = Run(session, "w1")
    await run.entry(7, "user", "hello")
    payload = (await socket.event("session.message"))["payload"]
    assert payload["messageSeq"] == 7
    assert payload["message"]["role"] == "user"
    assert payload["message"]["__openclaw"]["runId"] == "w1"


async def test_the_page_gets_answers_as_html(door: Door) -> None:
    _boss, cookie = await signed_in("boss", "owner")
    session = await session_make()
    page = await door.page(cookie)
    await page.call("sessions.messages.subscribe", {"key": KEY})
    run = Run(session, "w1")
    await run.entry(1, "user", "**hi**")
    await run.entry(2, "assistant", "**bold** <script>x</script>")
    user = (await page.event("session.message"))["payload"]["message"]
    answer = (await page.event("session.message"))["payload"]["message"]
    assert "html" not in user
    assert "<strong>bold</strong>" in answer["html"]
    assert "<script>" not in answer["html"]


async def test_the_queue_is_shown(door: Door) -> None:
    session = await session_make()
    socket = await door.connect()
    await socket.call("sessions.messages.subscribe", {"key": KEY})
    await Run(session, "w1").emit("queue", waiting=[{"runId": "w2", "text": "later"}])
    payload = (await socket.event("session.queue"))["payload"]
    assert payload["waiting"] == [{"runId": "w2", "text": "later"}]
