"""A message goes in, the answer streams out, and it can be read again."""

from __future__ import annotations

import uuid

import pytest

from tests.channels_app.gateway.ws_client import connected, text_of
from tests.platform.gateway import Gateway


def _key() -> str:
    return f"agent:main:turn-{uuid.uuid4().hex[:8]}"


async def test_it_works(model_gateway: Gateway) -> None:
    async with connected(model_gateway, caps=["tool-events"]) as socket:
        key, run_id = _key(), str(uuid.uuid4())
        answer = await socket.call(
            "chat.send",
            {"sessionKey": key, "message": "[[tokens:5:5]]", "idempotencyKey": run_id},
        )
        assert answer == {"runId": run_id, "status": "started"}
        final = await socket.end(run_id)
        assert final["state"] == "final"
        assert text_of(final).strip() == "tok0 tok1 tok2 tok3 tok4"
        assert final["usage"]["output"] == 5
        names = [event["event"] for event in socket.events]
        assert names.count("chat") >= 1
        assert {event["payload"]["runId"] for event in socket.events} == {run_id}


@pytest.mark.parametrize("level", ["off", "on", "full"])
@pytest.mark.parametrize("version", [3, 4])
async def test_a_turn_with_a_tool(model_gateway: Gateway, version: int, level: str) -> None:
    """What a tool gave back is sent at the level "full" only; at "on" its first words are."""
    caps = {"caps": ["tool-events"], "minProtocol": version, "maxProtocol": version}
    async with connected(model_gateway, **caps) as socket:
        key, run_id = _key(), str(uuid.uuid4())
        text = '[[tool:exec {"command":"echo from-the-tool"}]] [[final:all done]]'
        final = await socket.ask(key, f"/verbose {level} {text}", run_id)
        assert text_of(final) == "all done"
        tools = [
            event["payload"]["data"]
            for event in socket.events
            if event["event"] == "agent" and event["payload"]["stream"] == "tool"
        ]
        phases = [data["phase"] for data in tools]
        assert (phases[0], phases[-1]) == ("start", "result")
        assert tools[0]["args"] == {"command": "echo from-the-tool"}
        assert tools[-1]["isError"] is False
        assert ("result" in tools[-1]) is (level == "full")
        assert ("from-the-tool" in tools[-1].get("meta", "")) is (level == "on")
        history = await socket.call("chat.history", {"sessionKey": key})
        roles = [row["role"] for row in history["messages"]]
        assert roles == ["user", "assistant", "toolResult", "assistant"]


async def test_numbers_of_a_run_only_grow(model_gateway: Gateway) -> None:
    async with connected(model_gateway, caps=["tool-events"]) as socket:
        await socket.ask(_key(), "[[tokens:30:5]]", str(uuid.uuid4()))
        of_run = [event["payload"]["seq"] for event in socket.events]
        assert of_run == sorted(of_run)
        frames = [event["seq"] for event in socket.events]
        assert frames == list(range(1, len(frames) + 1))


async def test_a_model_that_fails(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        end = await socket.ask(_key(), "[[status:400]]", str(uuid.uuid4()))
        assert end["state"] == "error"
        assert end["errorMessage"]


async def test_two_tabs_see_the_same(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as one, connected(model_gateway) as two:
        key, run_id = _key(), str(uuid.uuid4())
        await two.call("sessions.messages.subscribe", {"key": key})
        final = await one.ask(key, "[[echo:same]]", run_id)
        assert text_of(final) == "same"
        assert text_of(await two.end(run_id)) == "same"
        roles = [
            event["payload"]["message"]["role"]
            for event in two.events
            if event["event"] == "session.message"
        ]
        assert roles == ["user", "assistant"]


async def test_twenty_messages_at_once_end_each_under_its_own_id(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = _key()
        ids = [f"{uuid.uuid4()}" for _ in range(20)]
        for number, run_id in enumerate(ids):
            text = f"message-{number:02d} [[delay:20]]"
            params = {"sessionKey": key, "message": text, "idempotencyKey": run_id}
            await socket.request("chat.send", params)
        for run_id in ids:
            assert (await socket.end(run_id))["state"] == "final"
        history = await socket.call("chat.history", {"sessionKey": key, "limit": 100})
        said = " ".join(str(row) for row in history["messages"] if row["role"] == "user")
        places = [said.index(f"message-{number:02d}") for number in range(20)]
        assert places == sorted(places)
