"""Reasoning and trace on the socket; a change of a session's options is heard by every client."""

from __future__ import annotations

import uuid
from typing import Any

import orjson

from tests.channels_app.gateway.ws_client import connected, text_of
from tests.platform.gateway import Gateway

SAYS = "[[echo:<think>SECRET plan</think>\n\nhello]]"


def _key() -> str:
    return f"agent:main:shown-{uuid.uuid4().hex[:8]}"


async def test_it_works(model_gateway: Gateway) -> None:
    """Off: no event and no row has a word of the reasoning."""
    async with connected(model_gateway, caps=["tool-events"]) as socket:
        key = _key()
        await socket.call("sessions.messages.subscribe", {"key": key})
        final = await socket.ask(key, SAYS, str(uuid.uuid4()))
        assert text_of(final) == "hello"
        told = [
            event
            for event in [*socket.events, *await socket.settle()]
            if event["event"] != "session.queue"
            and (event["payload"].get("message") or {}).get("role") != "user"
        ]
        assert b"SECRET" not in orjson.dumps(told)
        rows = (await socket.call("chat.history", {"sessionKey": key}))["messages"]
        assert rows[-1]["content"] == [{"type": "text", "text": "hello"}]


async def test_reasoning_on(model_gateway: Gateway) -> None:
    """It stands before the finished answer, and in the rows of the session from then on."""
    async with connected(model_gateway) as socket:
        key = _key()
        await socket.ask(key, "/reasoning on", str(uuid.uuid4()))
        final = await socket.ask(key, SAYS, str(uuid.uuid4()))
        assert final["message"]["content"] == [
            {"type": "thinking", "thinking": "SECRET plan"},
            {"type": "text", "text": "hello"},
        ]
        assert not [
            event for event in socket.events if event["payload"].get("stream") == "thinking"
        ]
        rows = (await socket.call("chat.history", {"sessionKey": key}))["messages"]
        assert rows[-1]["content"][0]["thinking"] == "SECRET plan"


async def test_reasoning_streamed(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        await socket.ask(_key(), f"/reasoning stream {SAYS}", str(uuid.uuid4()))
        thoughts = [
            event["payload"]["data"]["delta"]
            for event in socket.events
            if event["payload"].get("stream") == "thinking"
        ]
        assert "".join(thoughts).strip() == "SECRET plan"


async def test_trace_and_the_second_answer_of_agent(model_gateway: Gateway) -> None:
    """The line stands behind the answer; programs get its facts, and reasoning as a payload."""
    async with connected(model_gateway) as socket:
        key, run_id = _key(), str(uuid.uuid4())
        final = await socket.ask(key, f"/trace on {SAYS}", run_id)
        answer, footer = text_of(final).split("\n\n")
        assert answer == "hello"
        assert footer.startswith(f"run {final['internalRunId']} · openai/scripted")
        assert final["trace"]["model"] == "scripted"
        text = f"/reasoning on /trace on {SAYS}"
        params = {"message": text, "sessionKey": key, "idempotencyKey": str(uuid.uuid4())}
        request = await socket.request("agent", params)
        await socket.answer(request)
        result = (await socket.answer(request))["payload"]["result"]
        assert [payload.get("isReasoning", False) for payload in result["payloads"]] == [
            True,
            False,
        ]
        assert [payload["text"] for payload in result["payloads"]] == ["SECRET plan", "hello"]
        assert result["meta"]["trace"]["profile"] == "env:openai"


async def test_every_client_hears_of_a_change(model_gateway: Gateway) -> None:
    """Whether it came by a command or by a patch."""
    async with connected(model_gateway) as one, connected(model_gateway) as two:
        key = _key()
        await two.call("sessions.subscribe", {})
        await one.ask(key, "/verbose full", str(uuid.uuid4()))
        row = await _changed(two, key, "verboseLevel")
        assert row["verboseLevel"] == "full"
        changes = {"thinkingLevel": "high", "reasoningLevel": "stream", "traceLevel": "on"}
        patched = await one.call("sessions.patch", {"key": key, **changes})
        assert patched["resolved"] == {
            "modelProvider": "openai",
            "model": "scripted",
            # The scripted model cannot think.
            "thinkingLevel": "off",
            "thinkingLevels": ["off"],
            "verboseLevel": "full",
            "reasoningLevel": "stream",
            "traceLevel": "on",
        }
        row = await _changed(two, key, "traceLevel")
        assert {name: row[name] for name in changes} == changes
        cleared = await one.call("sessions.patch", {"key": key, "verboseLevel": None})
        assert "verboseLevel" not in cleared["entry"]


async def _changed(socket: Any, key: str, field: str) -> dict[str, Any]:
    event = await socket.event(
        "sessions.changed",
        lambda payload: payload["key"] == key and field in (payload["session"] or {}),
    )
    row: dict[str, Any] = event["payload"]["session"]
    return row


async def test_bad_levels_are_refused(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = _key()
        await socket.ask(key, "/help", str(uuid.uuid4()))
        for field in ("thinkingLevel", "verboseLevel", "reasoningLevel", "traceLevel"):
            error = await socket.refusal("sessions.patch", {"key": key, field: "loud"})
            assert error["message"].startswith(f"{field} loud is unknown; use one of: off")
        params = {"sessionKey": key, "message": "x", "idempotencyKey": "x-1", "thinking": "loud"}
        error = await socket.refusal("chat.send", params)
        assert "thinkingLevel loud is unknown" in error["message"]
