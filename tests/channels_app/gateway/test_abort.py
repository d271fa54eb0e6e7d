"""chat.abort ends a run id or a whole session; each id ends once, as aborted."""

from __future__ import annotations

import uuid

from tests.channels_app.gateway.ws_client import WsSocket, connected, text_of
from tests.platform.gateway import Gateway


def _key() -> str:
    return f"agent:main:abort-{uuid.uuid4().hex[:8]}"


async def _begin(socket: WsSocket, key: str, text: str) -> str:
    run_id = str(uuid.uuid4())
    params = {"sessionKey": key, "message": text, "idempotencyKey": run_id}
    await socket.call("chat.send", params)
    return run_id


async def test_it_works(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = _key()
        run_id = await _begin(socket, key, "[[tokens:400:50]]")
        await socket.chat("delta", run_id)
        answer = await socket.call("chat.abort", {"sessionKey": key})
        assert answer == {"ok": True, "aborted": True, "runIds": [run_id]}
        end = await socket.end(run_id)
        assert (end["state"], end["stopReason"]) == ("aborted", "rpc")
        assert text_of(end).startswith("tok0")
        history = await socket.call("chat.history", {"sessionKey": key})
        assert str(history["messages"][-1]["content"]).count("tok0") == 1


async def test_one_of_those_that_wait(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = _key()
        running = await _begin(socket, key, "[[tokens:40:50]]")
        await socket.chat("delta", running)
        waiting = await _begin(socket, key, "later")
        answer = await socket.call("chat.abort", {"sessionKey": key, "runId": waiting})
        assert answer["runIds"] == [waiting]
        assert (await socket.end(waiting))["state"] == "aborted"
        assert (await socket.end(running))["state"] == "final"


async def test_nothing_runs(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        answer = await socket.call("chat.abort", {"sessionKey": _key()})
        assert answer == {"ok": True, "aborted": False, "runIds": []}


async def test_a_run_of_another_session(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        one, other = _key(), _key()
        run_id = await _begin(socket, one, "[[delay:500]]")
        await socket.ask(other, "hi", str(uuid.uuid4()))
        error = await socket.refusal("chat.abort", {"sessionKey": other, "runId": run_id})
        assert error["message"] == "runId does not match sessionKey"
        await socket.call("chat.abort", {"sessionKey": one})


async def test_stop_as_a_message(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = _key()
        running = await _begin(socket, key, "[[tokens:400:50]]")
        await socket.chat("delta", running)
        stop = await _begin(socket, key, "/stop")
        assert (await socket.end(stop))["state"] == "final"
        assert (await socket.end(running))["state"] == "aborted"
