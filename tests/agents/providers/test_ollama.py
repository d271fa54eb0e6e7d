"""Requests to Ollama, and what is its own in its answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ollama import Message as VendorMessage
from ollama._types import ChatRequest

from agents.core.messages import (
    AssistantMessage,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.common.decoder import Decoder
from agents.providers.ollama.chunks import ChunkDecoder
from agents.providers.ollama.lines import LineReader
from agents.providers.ollama.request import body_build, headers_build, request_url
from agents.providers.registry import ClientPool
from tests.agents.providers.harness import READ, TOOLS, Harness, model_for
from tests.model_server.fixture import ModelServer

MODEL = ModelInfo("ollama", "qwen3:8b", "ollama", context_window=40_000, input=("text", "image"))
PIXEL = Image("aGk=", "image/png")
CALL = ToolCall("ollama_call_1", "read", {"path": "a"})


@pytest.fixture
def local(pool: ClientPool, model_server: ModelServer) -> Harness:
    """An Ollama model on the scripted server."""
    model_server.reset()
    return Harness(model_for(model_server, "ollama"), pool, model_server)


def body_of(*messages: Message, model: ModelInfo = MODEL, **values: Any) -> dict[str, Any]:
    return body_build(ModelRequest(model, messages or (UserMessage("hi"),), **values))


def said(*content: Text | Thinking | ToolCall) -> AssistantMessage:
    return AssistantMessage(content, api="ollama", provider="ollama", model=MODEL.id)


def test_it_works() -> None:
    body = body_of(system="Be kind.", tools=(READ,), temperature=0.5, max_tokens=100)
    assert body["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "hi"},
    ]
    assert body["stream"] is True
    assert body["options"] == {"num_predict": 100, "num_ctx": 40_000, "temperature": 0.5}
    assert body["tools"][0]["function"]["parameters"]["required"] == ["path"]
    assert "think" not in body


def vendor_message(wire: dict[str, Any]) -> VendorMessage:
    """The message as the vendor's library holds it, which wraps images."""
    images = [{"value": data} for data in wire.get("images", ())] or None
    return VendorMessage.model_validate({**wire, "images": images})


def test_the_vendors_types_take_the_request() -> None:
    history: list[Message] = [
        UserMessage((Text("look"), PIXEL)),
        said(Thinking("why"), Text("so"), CALL),
        ToolResultMessage("ollama_call_1", "read", (Text("r"), PIXEL)),
    ]
    body = body_of(*history, tools=TOOLS)
    ChatRequest.model_validate(body)
    first, second, third, fourth = map(vendor_message, body["messages"])
    assert first.images is not None
    assert (second.thinking, second.content) == ("why", "so")
    assert second.tool_calls is not None
    assert second.tool_calls[0].function.arguments == {"path": "a"}
    assert (third.role, third.tool_name, third.content) == ("tool", "read", "r")
    assert (fourth.role, len(fourth.images or ())) == ("user", 1)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("", "http://127.0.0.1:11434/api/chat"),
        ("http://box:1/", "http://box:1/api/chat"),
        ("http://box:1/v1", "http://box:1/api/chat"),
        ("http://box:1/api", "http://box:1/api/chat"),
    ],
)
def test_address(base: str, url: str) -> None:
    assert request_url(replace(MODEL, base_url=base)) == url


def test_key_is_only_sent_when_there_is_one() -> None:
    assert headers_build(MODEL) == {}
    assert headers_build(replace(MODEL, api_key="k"))["authorization"] == "Bearer k"


@pytest.mark.parametrize(
    ("level", "think"),
    [
        ("off", False),
        ("minimal", "low"),
        ("low", "low"),
        ("medium", "medium"),
        ("high", "high"),
        ("xhigh", "high"),
        ("adaptive", "high"),
        ("max", "high"),
    ],
)
def test_thinking(level: Any, think: bool | str) -> None:
    body = body_of(model=replace(MODEL, reasoning=True), thinking=level)
    assert body["think"] == think


def test_settings_of_the_model_and_of_the_call() -> None:
    params = {"num_ctx": 8_192, "keepAlive": "10m", "topP": 0.5, "options": {"mirostat": 1}}
    body = body_of(model=replace(MODEL, params=params), extra={"keepAlive": -1, "format": "json"})
    assert body["options"]["num_ctx"] == 8_192
    assert (body["options"]["top_p"], body["options"]["mirostat"]) == (0.5, 1)
    assert (body["keep_alive"], body["format"]) == (-1, "json")


async def test_ids_are_made_here_and_are_new_each_time(local: Harness) -> None:
    question = '[[tool:read {"path": "a"}]] [[tool:read {"path": "b"}]] [[parallel]]'
    ids = [call.id for _ in range(2) for call in (await local.call(question)).calls]
    assert len(set(ids)) == 4
    assert all(call_id.startswith("ollama_call_") for call_id in ids)


@pytest.mark.parametrize("case", ["one_line", "pieces", "prefixed"])
async def test_every_call_runs(local: Harness, case: str) -> None:
    outcome = await local.call(f"[[odd:{case}]]")
    found = [(call.name, call.arguments) for call in outcome.calls]
    assert found == [("read", {"path": "café 😀.txt"}), ("read", {"path": "b.txt"})]


async def test_arguments_as_text(local: Harness) -> None:
    outcome = await local.call('[[odd:text_arguments]] [[tool:read {"path": "a"}]]')
    assert outcome.calls[0].arguments == {"path": "a"}


async def test_model_that_was_only_loaded_answered_nothing(local: Harness) -> None:
    error = (await local.call("[[odd:loaded]]")).error
    assert (error.reason, error.retryable) == ("timeout", True)


@pytest.mark.parametrize(
    ("because", "think"),
    [
        ('think value "medium" is not supported for this model', True),
        ('"fake-1" does not support thinking', None),
    ],
)
async def test_model_that_thinks_otherwise_is_asked_otherwise(
    local: Harness, because: str, think: bool | None
) -> None:
    text = f"[[status:400:1]] [[because:{because}]] [[echo:fine]]"
    outcome = await local.call(text, thinking="medium", model={"reasoning": True})
    assert outcome.done.text == "fine"
    first, second = (request["body"].get("think") for request in local.server.requests())
    assert (first, second) == ("medium", think)


def _decoder() -> Decoder:
    return ChunkDecoder(ModelRequest(MODEL, ()))


def test_lines_arrive_in_any_pieces() -> None:
    body = '{"message":{"content":"a😀"}}\n\n{"message":{"content":"b"},"done":true}'.encode()
    for size in (1, 2, 5, len(body)):
        decoder = _decoder()
        reader = LineReader(decoder)
        for at in range(0, len(body), size):
            list(reader.feed(body[at : at + size]))
        list(reader.flush())
        assert decoder.assembly.finish(ended=True) == (Text("a😀b"),)
        assert decoder.ended
