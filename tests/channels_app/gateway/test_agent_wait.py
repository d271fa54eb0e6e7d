"""agent answers twice under one id; agent.wait waits for any run id."""

from __future__ import annotations

import uuid

from tests.channels_app.gateway.ws_client import connected
from tests.platform.gateway import Gateway


async def test_it_works(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        run_id = str(uuid.uuid4())
        params = {"message": "[[echo:pong]]", "agentId": "main", "idempotencyKey": run_id}
        request = await socket.request("agent", {**params, "deliver": False, "timeout": 600})
        accepted = (await socket.answer(request))["payload"]
        assert (accepted["runId"], accepted["status"]) == (run_id, "accepted")
        assert accepted["sessionKey"] == "agent:main:main"
        done = await socket.answer(request)
        assert done["ok"] is True
        payload = done["payload"]
        assert (payload["runId"], payload["status"]) == (run_id, "ok")
        assert payload["result"]["payloads"] == [{"text": "pong", "mediaUrl": None}]
        assert payload["result"]["meta"]["agentMeta"]["provider"] == "openai"
        waited = await socket.call("agent.wait", {"runId": run_id})
        assert waited["status"] == "ok"
        assert waited["endedAt"] >= waited["startedAt"]


async def test_a_failed_run_is_answered_as_an_error(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        run_id = str(uuid.uuid4())
        params = {"message": "[[status:400]]", "idempotencyKey": run_id}
        request = await socket.request("agent", params)
        await socket.answer(request)
        failed = await socket.answer(request)
        assert failed["ok"] is False
        assert failed["error"]["code"] == "UNAVAILABLE"
        assert failed["payload"]["status"] == "error"
        waited = await socket.call("agent.wait", {"runId": run_id})
        assert waited["status"] == "error"
        assert waited["error"]


async def test_waiting_ends_before_the_run(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key, run_id = f"agent:main:wait-{uuid.uuid4().hex[:8]}", str(uuid.uuid4())
        send = {"sessionKey": key, "message": "[[delay:400]]", "idempotencyKey": run_id}
        await socket.call("chat.send", send)
        short = await socket.call("agent.wait", {"runId": run_id, "timeoutMs": 1})
        assert short == {"runId": run_id, "status": "timeout"}
        # Waiting on one connection for what another one sent.
        async with connected(model_gateway) as other:
            waited = await other.call("agent.wait", {"runId": run_id, "timeoutMs": 30_000})
            assert waited["status"] == "ok"


async def test_an_unknown_run(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        waited = await socket.call("agent.wait", {"runId": "nobody", "timeoutMs": 50})
        assert waited == {"runId": "nobody", "status": "timeout"}


async def test_what_cannot_be_done_is_said(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        base = {"message": "hi", "idempotencyKey": str(uuid.uuid4())}
        deliver = await socket.refusal("agent", {**base, "deliver": True})
        assert deliver["message"].startswith("deliver: ")
        nobody = await socket.refusal("agent", {**base, "agentId": "nobody"})
        assert "nobody" in nobody["message"]
        other = {**base, "agentId": "other", "sessionKey": "agent:main:main"}
        assert "does not match" in (await socket.refusal("agent", other))["message"]
