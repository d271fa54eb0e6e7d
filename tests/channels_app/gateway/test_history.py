"""chat.history: rows with their ids, pages, and the turn that is running."""

from __future__ import annotations

import uuid

import pytest

from tests.channels_app.gateway.ws_client import WsSocket, connected, text_of
from tests.platform.gateway import Gateway


def _key() -> str:
    return f"agent:main:history-{uuid.uuid4().hex[:8]}"


async def _say(socket: WsSocket, key: str, *texts: str) -> None:
    for text in texts:
        await socket.ask(key, f"[[echo:{text}]]", str(uuid.uuid4()))


async def test_it_works(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key, run_id = _key(), str(uuid.uuid4())
        final = await socket.ask(key, "[[echo:one]]", run_id)
        history = await socket.call("chat.history", {"sessionKey": key})
        user, answer = history["messages"]
        assert history["hasMore"] is False
        assert "inFlightRun" not in history
        assert user["role"] == "user"
        assert text_of({"message": answer}) == "one"
        marks = answer["__openclaw"]
        assert (marks["seq"], marks["runId"]) == (2, run_id)
        assert marks["id"] == final["entryId"]
        assert history["sessionInfo"]["hasActiveRun"] is False


async def test_pages(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = _key()
        await _say(socket, key, "one", "two", "three")
        newest = await socket.call("chat.history", {"sessionKey": key, "limit": 2})
        assert (newest["hasMore"], newest["nextOffset"]) == (True, 2)
        by_offset = await socket.call(
            "chat.history", {"sessionKey": key, "limit": 2, "offset": newest["nextOffset"]}
        )
        by_seq = await socket.call(
            "chat.history", {"sessionKey": key, "limit": 2, "beforeSeq": newest["nextBeforeSeq"]}
        )
        assert by_offset["messages"] == by_seq["messages"]
        rest = await socket.call("chat.history", {"sessionKey": key, "limit": 2, "offset": 4})
        assert rest["hasMore"] is False
        pages = (rest, by_offset, newest)
        rows = [row for page in pages for row in page["messages"]]
        whole = await socket.call("chat.history", {"sessionKey": key})
        assert rows == whole["messages"]


async def test_a_running_turn(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket, connected(model_gateway) as late:
        key, run_id = _key(), str(uuid.uuid4())
        params = {"sessionKey": key, "message": "[[tokens:60:30]]", "idempotencyKey": run_id}
        await socket.call("chat.send", params)
        await socket.chat("delta", run_id)
        await late.call("sessions.messages.subscribe", {"key": key})
        history = await late.call("chat.history", {"sessionKey": key})
        running = history["inFlightRun"]
        assert running["runId"] == run_id
        assert history["sessionInfo"]["activeRunIds"] == [run_id]
        # What was said before, and everything that comes with a higher number, is the answer.
        await socket.end(run_id)
        final = await late.end(run_id)
        later = [
            event["payload"]["data"]["delta"]
            for event in late.events
            if event["event"] == "agent"
            and event["payload"]["stream"] == "assistant"
            and event["payload"]["seq"] > running["seq"]
        ]
        assert running["text"] + "".join(later) == text_of(final)


async def test_what_waits_is_listed(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = _key()
        first, second = str(uuid.uuid4()), str(uuid.uuid4())
        send = {"sessionKey": key, "message": "[[tokens:30:50]]", "idempotencyKey": first}
        await socket.call("chat.send", send)
        await socket.chat("delta", first)
        await socket.call("chat.send", {**send, "message": "later", "idempotencyKey": second})
        history = await socket.call("chat.history", {"sessionKey": key})
        waiting = history["pendingInputs"]
        assert waiting["total"] == 1
        assert waiting["items"][0]["runId"] == second
        await socket.call("chat.abort", {"sessionKey": key})


@pytest.mark.parametrize("key", ["agent:main:none", "agent:nobody:main", "fresh"])
async def test_a_session_that_is_not_there(model_gateway: Gateway, key: str) -> None:
    async with connected(model_gateway) as socket:
        history = await socket.call("chat.history", {"sessionKey": key})
        assert (history["messages"], history["hasMore"]) == ([], False)


async def test_what_was_said_is_found(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key, word = _key(), uuid.uuid4().hex
        await _say(socket, key, f"Größe {word}", "other")
        found = await socket.call("sessions.search", {"query": f"größe {word}"})
        assert found["count"] == 2
        answer, question = found["results"]
        assert (answer["role"], question["role"]) == ("assistant", "user")
        assert {hit["sessionKey"] for hit in found["results"]} == {key}
        history = await socket.call("chat.history", {"sessionKey": key})
        assert answer["entryId"] == history["messages"][1]["__openclaw"]["id"]
        assert word in answer["snippet"]
        elsewhere = {"query": word, "sessionKeys": ["agent:main:main"]}
        assert (await socket.call("sessions.search", elsewhere))["count"] == 0
        error = await socket.refusal("sessions.search", {"query": ""})
        assert "query" in error["message"]
