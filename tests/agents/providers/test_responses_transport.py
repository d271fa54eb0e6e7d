"""The same answers over POST and over a WebSocket, and the way back to POST."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agents.core.model import ModelInfo
from agents.providers.openai_responses.client import OpenAIResponsesClient
from agents.providers.openai_responses.transports import TRANSPORTS
from agents.providers.registry import ClientPool
from tests.agents.providers.harness import Harness
from tests.agents.providers.responses_harness import responses_model
from tests.model_server.fixture import ModelServer


@pytest.fixture
def socket(pool: ClientPool, model_server: ModelServer) -> Harness:
    """The model over a WebSocket."""
    model_server.reset()
    return Harness(responses_model(model_server, "websocket"), pool, model_server)


@pytest.fixture
def posts_only(pool: ClientPool, model_server: ModelServer) -> Harness:
    """A service that knows no WebSocket, asked for one."""
    model_server.reset()
    model = responses_model(model_server, "websocket")
    url = f"{model_server.url}/posts/v1"
    return Harness(replace(model, base_url=url), pool, model_server)


async def _client(llm: Harness) -> OpenAIResponsesClient:
    client = await llm.pool.client(llm.model)
    assert isinstance(client, OpenAIResponsesClient)
    return client


async def test_it_works(socket: Harness) -> None:
    for word in ("one", "two", "three"):
        assert (await socket.call(f"[[echo:{word}]]")).done.text == word
    assert socket.server.stats()["sockets"] == 1
    body = socket.last_body()
    assert body["type"] == "response.create"
    assert "stream" not in body


async def test_both_transports_send_the_same(socket: Harness) -> None:
    values: dict[str, Any] = {"system": "Be kind.", "thinking": "high", "session_id": "s-1"}
    over_socket = await socket.call("hi", **values)
    framed = socket.last_body()
    posted = await socket.call("hi", model={"compat": {"transport": "sse"}}, **values)
    sent = socket.last_body()
    assert framed.pop("type") == "response.create"
    assert sent.pop("stream") is True
    assert framed == sent
    assert over_socket.done.text == posted.done.text == "ok"


async def test_params_choose_the_transport_as_well(socket: Harness) -> None:
    await socket.call("hi", model={"compat": {}, "params": {"transport": "websocket"}})
    assert socket.server.stats()["sockets"] == 1
    await socket.call("hi", model={"compat": {}})
    assert socket.server.stats()["sockets"] == 1


async def test_answers_at_one_time_have_connections_of_their_own(socket: Harness) -> None:
    await asyncio.gather(*(socket.call("[[tokens:3:20]]") for _ in range(4)))
    opened = socket.server.stats()["sockets"]
    assert opened == 4
    await asyncio.gather(*(socket.call("[[tokens:3:20]]") for _ in range(4)))
    assert socket.server.stats()["sockets"] == opened


async def test_dead_connection_is_replaced(socket: Harness) -> None:
    # The scripted service closes the connection behind an odd answer.
    assert (await socket.call("[[odd:usage_last]]")).done.text == "ok then"
    assert (await socket.call("[[echo:again]]")).done.text == "again"
    assert socket.server.stats()["sockets"] == 2


async def test_connection_of_a_broken_answer_is_not_kept(socket: Harness) -> None:
    assert (await socket.call("[[tokens:5]] [[drop:2]]")).error.reason == "timeout"
    assert (await socket.call("[[echo:again]]")).done.text == "again"
    assert socket.server.stats()["sockets"] == 2


async def test_headers_of_the_model_go_with_the_handshake(socket: Harness) -> None:
    await socket.call("hi", model={"headers": {"x-team": "blue"}}, session_id="s-1")
    headers = {k.lower(): v for k, v in socket.server.requests()[-1]["headers"].items()}
    assert headers["x-team"] == "blue"
    assert headers["authorization"] == "***"
    await socket.call("hi", model={"headers": {"x-team": "red"}})
    assert socket.server.stats()["sockets"] == 2


async def test_closed_way_falls_back_to_posts_and_is_remembered(posts_only: Harness) -> None:
    assert (await posts_only.call("[[echo:hello]]")).done.text == "hello"
    assert (await _client(posts_only)).closed_ways == {"websocket"}
    assert (await posts_only.call("[[echo:hello]]")).done.text == "hello"
    assert posts_only.server.stats()["responses"] == 2
    assert posts_only.server.stats().get("sockets", 0) == 0


async def test_unreachable_service_closes_no_way(pool: ClientPool) -> None:
    model = responses_model(ModelServer("http://127.0.0.1:9"), "websocket")
    llm = Harness(model, pool, ModelServer(""))
    assert (await llm.call("hi")).error.reason == "timeout"
    assert (await _client(llm)).closed_ways == set()


async def test_unknown_transport_is_named(socket: Harness) -> None:
    error = (await socket.call("hi", model={"compat": {"transport": "pigeon"}})).error
    assert error.reason == "format"
    assert "compat.transport" in error.message
    assert "websocket" in error.message


class CannedTransport:
    """A transport as a plugin would bring it: it needs no network at all."""

    def __init__(self, model: ModelInfo) -> None:
        self.model = model

    async def send(self, body: dict[str, Any], headers: Mapping[str, str]) -> CannedTransport:
        return self

    async def aiter_bytes(self) -> Any:
        yield b'data: {"type":"response.output_text.delta","delta":"from a can"}\n\n'
        yield b'data: {"type":"response.completed","response":{"status":"completed"}}\n\n'

    async def aclose(self) -> None:
        return None


async def test_another_transport_can_be_registered(socket: Harness) -> None:
    TRANSPORTS.register("can", CannedTransport)
    outcome = await socket.call("hi", model={"compat": {"transport": "can"}})
    assert outcome.done.text == "from a can"
    assert socket.server.stats().get("requests", 0) == 0
