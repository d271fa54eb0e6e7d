"""The same run id again does nothing twice."""

from __future__ import annotations

import uuid
from typing import Any

from tests.channels_app.gateway.ws_client import connected
from tests.platform.gateway import Gateway


def _send(text: str) -> dict[str, Any]:
    key = f"agent:main:again-{uuid.uuid4().hex[:8]}"
    return {"sessionKey": key, "message": text, "idempotencyKey": str(uuid.uuid4())}


async def test_it_works(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        params = _send("[[delay:300]] once")
        run_id = params["idempotencyKey"]
        assert (await socket.call("chat.send", params))["status"] == "started"
        again = await socket.call("chat.send", params)
        assert again == {"runId": run_id, "status": "in_flight"}
        await socket.end(run_id)
        after = await socket.call("chat.send", params)
        assert after == {"runId": run_id, "status": "ok"}
        history = await socket.call("chat.history", {"sessionKey": params["sessionKey"]})
        assert [row["role"] for row in history["messages"]] == ["user", "assistant"]


async def test_a_repeat_on_another_socket_gets_the_end(model_gateway: Gateway) -> None:
    params = _send("[[delay:300]] once")
    async with connected(model_gateway) as first:
        await first.call("chat.send", params)
    # The first socket is gone; the run is not.
    async with connected(model_gateway) as second:
        answer = await second.call("chat.send", params)
        assert answer["status"] in ("in_flight", "ok")
        if answer["status"] == "in_flight":
            assert (await second.end(params["idempotencyKey"]))["state"] == "final"


async def test_agent_answers_a_repeat_with_the_end(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        params = {"message": "[[echo:once]]", "idempotencyKey": str(uuid.uuid4())}
        first = await socket.request("agent", params)
        accepted, done = await socket.answer(first), await socket.answer(first)
        assert accepted["payload"]["status"] == "accepted"
        second = await socket.request("agent", params)
        await socket.answer(second)
        again = await socket.answer(second)
        assert again["payload"]["result"]["payloads"] == done["payload"]["result"]["payloads"]
