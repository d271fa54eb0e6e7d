"""The demands of each service on a history, one by one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.messages import (
    AssistantMessage,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import ModelInfo, ModelRequest, ToolSchema
from agents.providers.common.policy import POLICIES, policy_for
from agents.providers.common.replay import replay
from agents.providers.common.tool_names import tool_name_match
from agents.providers.google_generative.chunks import ChunkDecoder as GoogleDecoder
from agents.providers.ollama.chunks import ChunkDecoder as OllamaDecoder
from tests.agents.core.strategies import steady
from tests.agents.providers.conformance.vendors import APIS, BUILDERS
from tests.agents.providers.schema_cases import CASES, Case

CALL = ToolCall("call_1", "read", {"path": "a"})


def model_of(api: str, model_id: str = "m") -> ModelInfo:
    return ModelInfo("vendor", model_id, api)


def by(model: ModelInfo, *content: Text | Thinking | ToolCall) -> AssistantMessage:
    return AssistantMessage(content, api=model.api, provider=model.provider, model=model.id)


def result(call: ToolCall) -> ToolResultMessage:
    return ToolResultMessage(call.id, call.name, (Text("r"),))


def replayed(model: ModelInfo, *messages: Message) -> list[Message]:
    return replay([UserMessage("hi"), *messages, UserMessage("on")], model)[1:-1]


def test_it_works() -> None:
    assert set(POLICIES) == set(APIS)
    assert policy_for(model_of("unheard-of")) is POLICIES["openai-completions"]


@pytest.mark.parametrize("api", APIS)
def test_damaged_calls_are_left_out_with_their_results(api: str) -> None:
    model = model_of(api)
    arguments: Any = "text"
    for damaged in (
        replace(CALL, id=""),
        replace(CALL, name=""),
        replace(CALL, name="two words"),
        replace(CALL, name="n" * 65),
        replace(CALL, arguments=arguments),
    ):
        (sent,) = replayed(model, by(model, Text("so"), damaged), result(damaged))
        assert sent.content == (Text("so"),)


def test_names_are_fitted_to_the_service_in_call_and_result() -> None:
    call = replace(CALL, name="9.ns:tool")
    for api, name in (
        ("anthropic-messages", "9_ns_tool"),
        ("openai-completions", "9_ns_tool"),
        ("google-generative-ai", "_9_ns_tool"),
    ):
        model = model_of(api)
        asked, told = replayed(model, by(model, call), result(call))
        assert isinstance(asked, AssistantMessage)
        assert isinstance(told, ToolResultMessage)
        assert asked.tool_calls[0].name == told.tool_name == name
    model = model_of("google-generative-ai")
    dotted = replace(CALL, name="ns.tool")
    answer = by(model, dotted)
    assert replayed(model, answer, result(dotted))[0] == answer


def test_unsigned_reasoning_goes_back_only_where_no_signature_is_needed() -> None:
    for api in APIS:
        model = model_of(api)
        (sent,) = replayed(model, by(model, Thinking("why", " "), Text("so")))
        needed = api in ("anthropic-messages", "bedrock-converse-stream")
        assert sent.content == ((Text("so"),) if needed else (Thinking("why"), Text("so")))


@pytest.mark.parametrize(
    ("model_id", "forgets"),
    [
        ("claude-3-7-sonnet", True),
        ("claude-2.1", True),
        ("claude-opus-4-5", False),
        ("claude-haiku-5-5", False),
    ],
)
def test_old_models_keep_only_the_reasoning_of_the_turn(model_id: str, forgets: bool) -> None:
    model = model_of("anthropic-messages", model_id)
    thought = Thinking("why", "sig")
    history: list[Message] = [
        UserMessage("one"),
        by(model, thought, Text("so")),
        UserMessage("two"),
        by(model, thought, CALL),
        result(CALL),
    ]
    sent = [m.content for m in replay(history, model) if isinstance(m, AssistantMessage)]
    assert sent[0] == ((Text("so"),) if forgets else (thought, Text("so")))
    assert sent[1] == (thought, CALL)


def test_gemma_forgets_its_reasoning() -> None:
    for api in ("openai-completions", "ollama"):
        model = model_of(api, "gemma-4-27b")
        thought = Thinking("why", "reasoning_content")
        (sent,) = replayed(model, by(model, thought, Text("so")))
        assert sent.content == (Text("so"),)


def test_names_that_models_decorate() -> None:
    known = {"read", "functions", "tool_search"}
    for written in (
        "read",
        " read",
        "functions.read",
        "tool:read",
        "Tools/read",
        "default_api.read",
    ):
        assert tool_name_match(written, known) == "read"
    for name in ("functions", "tool_search", "unread", "functions.unknown"):
        assert tool_name_match(name, known) == name


def _found_arguments(body: dict[str, Any], api: str) -> Any:
    """The arguments of the one call in a request, wherever the format puts them."""
    if api in ("anthropic-messages", "bedrock-converse-stream"):
        return body["messages"][1]["content"][0]["input"]
    if api == "google-generative-ai":
        return body["contents"][1]["parts"][0]["functionCall"]["args"]
    if api == "openai-responses":
        (call,) = (item for item in body["input"] if item["type"] == "function_call")
        return json.loads(call["arguments"])
    found = body["messages"][1]["tool_calls"][0]["function"]["arguments"]
    return found if api == "ollama" else json.loads(found)


@steady
@given(CASES)
def test_arguments_survive_the_way_there_and_back(case: Case) -> None:
    tool = ToolSchema("read", "Reads.", case.schema)
    for api in APIS:
        call = replace(CALL, arguments=case.value)
        history: list[Message] = [UserMessage("hi"), AssistantMessage((call,)), result(call)]
        body = BUILDERS[api](ModelRequest(model_of(api), history, tools=(tool,)))
        assert _found_arguments(body, api) == case.value


@steady
@given(CASES, st.booleans())
def test_arguments_survive_an_answer(case: Case, as_text: bool) -> None:
    tools = (ToolSchema("read", "Reads.", {"type": "object"}),)
    given_arguments = json.dumps(case.value) if as_text else case.value
    google = GoogleDecoder(ModelRequest(model_of("google-generative-ai"), (), tools=tools))
    part = {"functionCall": {"name": "read", "args": given_arguments}}
    google.feed({"candidates": [{"content": {"parts": [part]}}]})
    ollama = OllamaDecoder(ModelRequest(model_of("ollama"), (), tools=tools))
    function = {"name": "read", "arguments": given_arguments}
    ollama.feed({"message": {"tool_calls": [{"function": function}]}})
    for decoder in (google, ollama):
        (call,) = decoder.assembly.finish(ended=True)
        assert isinstance(call, ToolCall)
        assert call.arguments == case.value
