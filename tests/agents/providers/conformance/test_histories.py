"""Whatever is in a history, the request is one that the service takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
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
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.common.body import json_decode, json_encode
from agents.providers.common.replay import OMITTED_TEXT, thinking_stripped
from tests.agents.core.strategies import steady
from tests.agents.providers.conformance.histories import histories
from tests.agents.providers.conformance.vendors import APIS, BUILDERS, CHECKERS
from tests.agents.providers.harness import TOOLS

pytestmark = pytest.mark.exhaustive

EXAMPLES = settings(steady, max_examples=150)


def model_of(api: str, **values: Any) -> ModelInfo:
    return ModelInfo("vendor", "some-model", api, input=("text", "image"), **values)


def sent(messages: list[Message], model: ModelInfo) -> dict[str, Any]:
    """The request as the service reads it, after checks that building it is pure."""
    before, shown = list(messages), repr(messages)
    request = ModelRequest(model, messages, system="Be kind.", tools=TOOLS)
    first = json_encode(BUILDERS[model.api](request))
    again = json_encode(BUILDERS[model.api](request))
    assert first == again, "the same history, the same bytes"
    assert all(map(lambda a, b: a is b, before, messages))
    assert repr(messages) == shown
    body = json_decode(first)
    assert isinstance(body, dict)
    return body


def accepted(messages: list[Message], model: ModelInfo) -> dict[str, Any]:
    """The request, which the service must take."""
    body = sent(messages, model)
    CHECKERS[model.api](body)
    return body


CALL = ToolCall("call_1", "read", {"path": "a"})
OTHER = ToolCall("call_2", "write", {"path": "b"})


def asked(*calls: ToolCall, stop: Any = "toolUse") -> AssistantMessage:
    return AssistantMessage(calls, stop_reason=stop)


def told(call: ToolCall, text: str = "r") -> ToolResultMessage:
    return ToolResultMessage(call.id, call.name, (Text(text),))


DAMAGED: dict[str, list[Message]] = {
    "nothing": [],
    "result without call": [UserMessage("hi"), told(CALL)],
    "call without result": [UserMessage("hi"), asked(CALL), UserMessage("on")],
    "call at the end": [UserMessage("hi"), asked(CALL, OTHER), told(OTHER)],
    "two results for one id": [UserMessage("hi"), asked(CALL), told(CALL), told(CALL, "again")],
    "result before call": [UserMessage("hi"), told(CALL), asked(CALL), UserMessage("on")],
    "out of order": [UserMessage("hi"), asked(CALL, OTHER), told(OTHER), told(CALL)],
    "partial call": [UserMessage("hi"), asked(CALL, stop="error"), told(CALL), UserMessage("on")],
    "result behind a user": [UserMessage("hi"), asked(CALL), UserMessage("wait"), told(CALL)],
    "ids repeated in two turns": [
        UserMessage("hi"),
        asked(CALL),
        told(CALL),
        asked(CALL),
        told(CALL),
    ],
    "one id twice in a turn": [UserMessage("hi"), asked(CALL, CALL), told(CALL), told(CALL, "2")],
    "begins with an answer": [AssistantMessage((Text("Hello"),)), UserMessage("hi")],
    "ends with an answer": [UserMessage("hi"), AssistantMessage((Text("Hello"),))],
    "blank": [UserMessage(" "), AssistantMessage((Text(""),)), UserMessage(())],
    "nameless": [UserMessage("hi"), asked(replace(CALL, name="")), told(CALL), UserMessage("on")],
}


@pytest.mark.parametrize("api", APIS)
def test_it_works(api: str) -> None:
    history: list[Message] = [
        UserMessage("hi"),
        AssistantMessage((Text("Reading."), CALL, OTHER), stop_reason="toolUse"),
        told(CALL, "one"),
        told(OTHER, "two"),
        UserMessage("on"),
    ]
    text = str(accepted(history, model_of(api)))
    for said in ("hi", "Reading.", "read", "write", "one", "two", "on"):
        assert f"'{said}'" in text


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("name", DAMAGED)
def test_known_damage(api: str, name: str) -> None:
    accepted(DAMAGED[name], model_of(api))


@pytest.mark.parametrize("api", APIS)
def test_random_damage(api: str) -> None:
    models = (model_of(api), model_of(api, reasoning=True))

    @EXAMPLES
    @given(st.sampled_from(models).flatmap(lambda m: st.tuples(st.just(m), histories(m))))
    def check(case: tuple[ModelInfo, list[Message]]) -> None:
        model, history = case
        accepted(history, model)
        accepted(thinking_stripped(history), model)

    check()


@pytest.mark.parametrize("api", APIS)
def test_a_history_cut_anywhere(api: str) -> None:
    history: list[Message] = [UserMessage("hi")]
    for number in range(25):
        call = ToolCall(f"call_{number}", "read", {"n": number})
        history += [asked(call), told(call)]
    for start in range(len(history)):
        accepted(history[start : start + 10], model_of(api))


@pytest.mark.parametrize("model_id", ["gemini-3-pro", "gemini-2.5-flash"])
def test_random_damage_for_each_generation_of_gemini(model_id: str) -> None:
    model = replace(model_of("google-generative-ai", reasoning=True), id=model_id)

    @EXAMPLES
    @given(histories(model))
    def check(history: list[Message]) -> None:
        body = accepted(history, model)
        turns = [content["parts"] for content in body["contents"]]
        calls = [[p for p in parts if "functionCall" in p] for parts in turns]
        if model_id == "gemini-3-pro":
            assert all(found[0]["thoughtSignature"] for found in calls if found)

    check()


def test_answer_of_nothing_but_reasoning_keeps_its_place() -> None:
    model = model_of("anthropic-messages")
    facts: dict[str, Any] = {"api": model.api, "provider": model.provider, "model": model.id}
    thought = AssistantMessage((Thinking("why"),), **facts)
    body = accepted([UserMessage("hi"), thought, UserMessage("on")], model)
    assert body["messages"][1]["content"] == [{"type": "text", "text": OMITTED_TEXT}]


def test_stripped_of_all_reasoning() -> None:
    signed = AssistantMessage(
        (Thinking("why", "s"), Text("so", "t"), replace(CALL, thought_signature="u"))
    )
    plain = AssistantMessage((Text("so"),))
    only = AssistantMessage((Thinking("why", "s"),))
    found = thinking_stripped([UserMessage("hi"), signed, plain, only])
    assert found[2] is plain
    contents = [m.content for m in found if isinstance(m, AssistantMessage)]
    assert contents == [(Text("so"), CALL), (Text("so"),), (Text(OMITTED_TEXT),)]
