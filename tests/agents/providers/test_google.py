"""Requests to Gemini, and what is its own in its answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from google.genai import types

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
from agents.providers.google_generative.contents import UNSIGNED_CALL
from agents.providers.google_generative.request import body_build, headers_build, request_url
from agents.providers.registry import ClientPool
from tests.agents.providers.harness import CLOCK, READ, TOOLS, Harness, model_for
from tests.model_server.fixture import ModelServer

API = "google-generative-ai"
OLD = ModelInfo("google", "gemini-2.5-flash", API, reasoning=True, input=("text", "image"))
NEW = replace(OLD, id="gemini-3.5-flash", max_tokens=65_536)
PIXEL = Image("aGk=", "image/png")
CALL = ToolCall("call_1", "read", {"path": "a"}, thought_signature="c2lnbmVk")


@pytest.fixture
def gemini(pool: ClientPool, model_server: ModelServer) -> Harness:
    """A Gemini model on the scripted server."""
    model_server.reset()
    return Harness(model_for(model_server, API), pool, model_server)


def body_of(*messages: Message, model: ModelInfo = NEW, **values: Any) -> dict[str, Any]:
    return body_build(ModelRequest(model, messages or (UserMessage("hi"),), **values))


def said(*content: Text | Thinking | ToolCall, model: ModelInfo = NEW) -> AssistantMessage:
    return AssistantMessage(content, api=API, provider="google", model=model.id)


def test_it_works() -> None:
    body = body_of(system="Be kind.", tools=(READ, CLOCK), temperature=0.5, max_tokens=100)
    assert body["contents"] == [{"role": "user", "parts": [{"text": "hi"}]}]
    assert body["systemInstruction"] == {"parts": [{"text": "Be kind."}]}
    read, clock = body["tools"][0]["functionDeclarations"]
    assert read["parametersJsonSchema"]["required"] == ["path"]
    assert clock == {"name": "clock", "description": "Tells the time."}
    config = body["generationConfig"]
    assert (config["temperature"], config["maxOutputTokens"]) == (0.5, 100)


def test_the_vendors_types_take_the_request() -> None:
    history: list[Message] = [
        UserMessage((Text("look"), PIXEL)),
        said(Thinking("why", "c2lnbmVk"), Text("so", "c2lnbmVk"), CALL),
        ToolResultMessage("call_1", "read", (Text("r"), PIXEL), is_error=True),
    ]
    body = body_of(*history, tools=TOOLS, thinking="high", extra={"toolChoice": "required"})
    for content in body["contents"]:
        types.Content.model_validate(content)
    tools = types.Tool.model_validate(body["tools"][0])
    assert [f.name for f in tools.function_declarations or ()] == ["read", "write", "clock"]
    config = types.GenerateContentConfig.model_validate(body["generationConfig"])
    assert config.thinking_config is not None
    assert config.thinking_config.thinking_level is types.ThinkingLevel.HIGH
    choice = types.ToolConfig.model_validate(body["toolConfig"]).function_calling_config
    assert choice is not None
    assert choice.mode is types.FunctionCallingConfigMode.ANY


@pytest.mark.parametrize(
    ("base", "model_id", "path"),
    [
        (
            "",
            "gemini-3-pro",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro",
        ),
        ("http://h:1", "models/m", "http://h:1/v1beta/models/m"),
        ("http://h/v1/publishers/google/", "m", "http://h/v1/publishers/google/models/m"),
        ("http://h/v1beta", "tunedModels/t", "http://h/v1beta/tunedModels/t"),
    ],
)
def test_address(base: str, model_id: str, path: str) -> None:
    url = request_url(replace(NEW, base_url=base, id=model_id))
    assert url == f"{path}:streamGenerateContent?alt=sse"


def test_key_goes_in_the_header_of_its_kind() -> None:
    assert headers_build(replace(NEW, api_key="AIza"))["x-goog-api-key"] == "AIza"
    assert headers_build(replace(NEW, api_key="ya29.x")) == {"authorization": "Bearer ya29.x"}
    assert headers_build(replace(NEW, headers={"X-A": "1"})) == {"x-a": "1"}


@pytest.mark.parametrize(
    ("model_id", "level", "expected"),
    [
        ("gemini-3-flash", "off", {"includeThoughts": False, "thinkingLevel": "MINIMAL"}),
        ("gemini-3-pro", "off", {"includeThoughts": False, "thinkingLevel": "LOW"}),
        ("gemini-3-flash", "medium", {"includeThoughts": True, "thinkingLevel": "MEDIUM"}),
        ("gemini-3-pro", "medium", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("gemini-3.1-pro", "medium", {"includeThoughts": True, "thinkingLevel": "MEDIUM"}),
        ("gemini-flash-latest", "xhigh", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("gemini-2.5-flash", "off", {"thinkingBudget": 0}),
        ("gemini-2.5-pro", "off", {"thinkingBudget": 128}),
        ("gemini-2.5-pro", "low", {"includeThoughts": True, "thinkingBudget": 2_048}),
        ("gemini-2.5-pro", "adaptive", {"includeThoughts": True, "thinkingBudget": -1}),
    ],
)
def test_thinking(model_id: str, level: Any, expected: dict[str, Any]) -> None:
    model = replace(NEW, id=model_id)
    assert body_of(model=model, thinking=level)["generationConfig"]["thinkingConfig"] == expected
    plain = body_of(model=replace(model, reasoning=False), thinking=level)
    assert "thinkingConfig" not in plain["generationConfig"]


def test_a_budget_comes_on_top_of_the_answer() -> None:
    def numbers(limit: int, **values: Any) -> tuple[int, int]:
        config = body_of(model=replace(OLD, max_tokens=limit), **values)["generationConfig"]
        return config["maxOutputTokens"], config["thinkingConfig"]["thinkingBudget"]

    assert numbers(32_000, thinking="medium", max_tokens=4_000) == (12_192, 8_192)
    assert numbers(10_000, thinking="medium", max_tokens=4_000) == (10_000, 8_192)
    assert numbers(8_000, thinking="high") == (8_000, 6_976)


def test_new_models_get_ids_and_images_in_results() -> None:
    result = ToolResultMessage("call_1", "read", (PIXEL,))
    _, asked, told = body_of(UserMessage("hi"), said(CALL), result)["contents"]
    assert asked["parts"] == [
        {
            "functionCall": {"name": "read", "args": {"path": "a"}, "id": "call_1"},
            "thoughtSignature": "c2lnbmVk",
        }
    ]
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    response = {"name": "read", "response": {"output": "(see the images)"}, "id": "call_1"}
    assert told["parts"] == [{"functionResponse": {**response, "parts": [image]}}]


def test_old_models_get_images_behind_results() -> None:
    result = ToolResultMessage("call_1", "read", (Text("r"), PIXEL))
    call = said(CALL, model=OLD)
    contents = body_of(UserMessage("hi"), call, result, UserMessage("on"), model=OLD)["contents"]
    _, asked, told, behind = contents
    assert "id" not in asked["parts"][0]["functionCall"]
    response = {"name": "read", "response": {"output": "r"}}
    assert told["parts"] == [{"functionResponse": response}]
    assert [next(iter(part)) for part in behind["parts"]] == ["text", "inlineData", "text"]


def test_only_own_signatures_go_back_and_the_first_call_is_never_unsigned() -> None:
    second = ToolCall("call_2", "clock", {})
    results = [ToolResultMessage(c.id, c.name, (Text("r"),)) for c in (CALL, second)]
    other = replace(said(Thinking("why", "c2lnbmVk"), CALL, second), model="gemini-3-pro")
    _, asked, _ = body_of(UserMessage("hi"), other, *results)["contents"]
    assert asked["parts"][0] == {"text": "why"}
    assert [p.get("thoughtSignature") for p in asked["parts"][1:]] == [UNSIGNED_CALL, None]
    broken = said(Text("so", "no base64!"), replace(CALL, thought_signature="?"))
    _, asked, _ = body_of(UserMessage("hi"), broken, results[0])["contents"]
    assert [p.get("thoughtSignature") for p in asked["parts"]] == [None, UNSIGNED_CALL]


async def test_signatures_come_back_as_they_were(gemini: Harness) -> None:
    question = UserMessage('[[think:hm]] [[tool:read {"path": "a"}]]')
    asked = await gemini.call(question)
    assert asked.calls[0].thought_signature == "c2lnbmVk"
    result = ToolResultMessage(asked.calls[0].id, "read", (Text("r"),))
    told = await gemini.call(question, asked.done, result)
    assert told.done.content == (Text("tool said: r", "c2lnbmVk"),)
    await gemini.call(question, asked.done, result, told.done, "on")
    contents = gemini.last_body()["contents"]
    thought, call = contents[1]["parts"]
    assert thought == {"text": "hm", "thought": True}
    assert call["thoughtSignature"] == "c2lnbmVk"
    assert contents[3]["parts"] == [{"text": "tool said: r", "thoughtSignature": "c2lnbmVk"}]


@pytest.mark.parametrize("case", ["one_id", "one_chunk", "prefixed"])
async def test_every_call_runs(gemini: Harness, case: str) -> None:
    outcome = await gemini.call(f"[[odd:{case}]]")
    assert [call.name for call in outcome.calls] == ["read", "read"]
    assert len({call.id for call in outcome.calls}) == 2


async def test_arguments_as_text(gemini: Harness) -> None:
    outcome = await gemini.call('[[odd:text_arguments]] [[tool:read {"path": "a"}]]')
    assert outcome.calls[0].arguments == {"path": "a"}


@pytest.mark.parametrize(
    ("case", "reason", "word"),
    [
        ("filtered", "unclassified", "SAFETY"),
        ("blocked", "unclassified", "PROHIBITED_CONTENT"),
        ("malformed_call", "timeout", "MALFORMED_FUNCTION_CALL"),
    ],
)
async def test_refused_answers(gemini: Harness, case: str, reason: str, word: str) -> None:
    error = (await gemini.call(f"[[odd:{case}]]")).error
    assert error.reason == reason
    assert word in error.message


async def test_the_key_is_sent_and_never_shown(gemini: Harness) -> None:
    await gemini.call("hi")
    (request,) = gemini.server.requests()
    assert request["path"] == "/v1beta/models/fake-1:streamGenerateContent"
    assert request["headers"]["x-goog-api-key"] == "***"
