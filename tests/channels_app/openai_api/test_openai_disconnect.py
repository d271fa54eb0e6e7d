"""Who hangs up stops the run, unless somebody else waits for it too."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import httpx

from tests.channels_app.gateway.ws_client import PATIENCE, connected
from tests.platform.gateway import Gateway

LONG = {"model": "openclaw", "messages": [{"role": "user", "content": "[[tokens:600:50]]"}]}


def _http(gateway: Gateway, key: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {gateway.token}", "x-openclaw-session-key": key}
    return httpx.AsyncClient(
        base_url=f"{gateway.url}/v1", headers=headers, trust_env=False, timeout=PATIENCE
    )


def _is_long(payload: dict[str, Any]) -> bool:
    """Whether this says that the long message is in the queue."""
    return "tokens:600" in payload.get("item", {}).get("text", "")


def _key() -> str:
    return f"agent:main:gone-{uuid.uuid4().hex[:8]}"


async def test_it_works(model_gateway: Gateway) -> None:
    key = _key()
    async with connected(model_gateway) as socket, _http(model_gateway, key) as http:
        await socket.call("sessions.messages.subscribe", {"key": key})
        body = {**LONG, "stream": True}
        async with http.stream("POST", "/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if "tok0" in line:
                    break
        event = await socket.event("chat", lambda payload: payload["state"] == "aborted")
        assert event["payload"]["stopReason"] == "stop"


async def test_without_a_stream_too(model_gateway: Gateway) -> None:
    key = _key()
    async with connected(model_gateway) as socket, _http(model_gateway, key) as http:
        await socket.call("sessions.messages.subscribe", {"key": key})
        request = asyncio.create_task(http.post("/chat/completions", json=LONG))
        await socket.event("chat", lambda payload: payload["state"] == "delta")
        request.cancel()
        await socket.event("chat", lambda payload: payload["state"] == "aborted")


async def test_a_message_that_still_waits_is_taken_back(model_gateway: Gateway) -> None:
    key, run_id = _key(), str(uuid.uuid4())
    async with connected(model_gateway) as socket, _http(model_gateway, key) as http:
        send = {"sessionKey": key, "message": "[[tokens:60:50]]", "idempotencyKey": run_id}
        await socket.call("sessions.messages.subscribe", {"key": key})
        await socket.call("chat.send", send)
        await socket.chat("delta", run_id)
        request = asyncio.create_task(http.post("/chat/completions", json=LONG))
        await socket.event("session.queue", _is_long)
        request.cancel()
        await socket.event("chat", lambda payload: payload["state"] == "aborted")
        assert (await socket.end(run_id))["state"] == "final"


async def test_a_shared_run_goes_on(model_gateway: Gateway) -> None:
    key, first, second = _key(), str(uuid.uuid4()), str(uuid.uuid4())
    async with connected(model_gateway) as socket, _http(model_gateway, key) as http:
        await socket.call("sessions.messages.subscribe", {"key": key})
        send = {"sessionKey": key, "message": "[[tokens:30:50]]", "idempotencyKey": first}
        await socket.call("chat.send", send)
        await socket.chat("delta", first)
        # Both wait behind the running turn and become one.
        request = asyncio.create_task(http.post("/chat/completions", json=LONG))
        await socket.event("session.queue", _is_long)
        shared = {**send, "message": "[[tokens:40:50]]", "idempotencyKey": second}
        await socket.call("chat.send", shared)
        await socket.event(
            "chat",
            lambda payload: payload["state"] == "status" and second in payload["runIds"],
        )
        request.cancel()
        assert (await socket.end(second))["state"] == "final"
