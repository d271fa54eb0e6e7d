"""The scripted Gemini and Ollama as their vendors' own libraries see them."""

from __future__ import annotations

from typing import Any

import httpx
import ollama
import pytest
from google import genai
from google.genai import errors, types

from tests.model_server.fixture import ModelServer
from tests.model_server.odd_chat import ODD_CHAT
from tests.model_server.odd_google import ODD_GOOGLE
from tests.model_server.odd_ollama import ODD_OLLAMA

# Cases that only one of the formats can have.
OF_ITS_OWN = {"one_id", "one_chunk", "one_line", "prefixed", "text_arguments"}
OF_ITS_OWN |= {"blocked", "malformed_call", "loaded"}


@pytest.fixture
def gemini(model_server: ModelServer) -> genai.Client:
    options = types.HttpOptions(base_url=model_server.url)
    return genai.Client(api_key="sk-test", http_options=options)


@pytest.fixture
def local(model_server: ModelServer) -> ollama.Client:
    return ollama.Client(host=model_server.url, trust_env=False)


def declared() -> types.GenerateContentConfig:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    function = types.FunctionDeclaration(name="read", parameters_json_schema=schema)
    off = types.AutomaticFunctionCallingConfig(disable=True)
    tools: list[Any] = [types.Tool(function_declarations=[function])]
    return types.GenerateContentConfig(tools=tools, automatic_function_calling=off)


def test_it_works(gemini: genai.Client, local: ollama.Client) -> None:
    whole = gemini.models.generate_content(model="fake-1", contents="[[echo:hi]]")
    assert whole.text == "hi"
    answer = local.chat("fake-1", messages=[{"role": "user", "content": "[[echo:hi]]"}])
    assert answer.message.content == "hi"


def test_gemini_streams_text_thoughts_and_usage(gemini: genai.Client) -> None:
    text = "[[think:hmm]] [[echo:one two]] [[usage:30:5]]"
    chunks = list(gemini.models.generate_content_stream(model="fake-1", contents=text))
    parts = [part for chunk in chunks for part in chunk.parts or ()]
    assert "".join(part.text or "" for part in parts if not part.thought) == "one two"
    assert [part.text for part in parts if part.thought] == ["hmm"]
    last = chunks[-1]
    assert last.candidates is not None
    assert last.candidates[0].finish_reason is types.FinishReason.STOP
    assert last.usage_metadata is not None
    assert last.usage_metadata.prompt_token_count == 30
    counts = last.usage_metadata
    assert (counts.candidates_token_count or 0) + (counts.thoughts_token_count or 0) == 5
    assert parts[-1].thought_signature == b"signed"


def test_gemini_calls_tools_and_reads_results(gemini: genai.Client) -> None:
    question = '[[tool:read {"path": "a"}]] [[tool:read {"path": "b"}]] [[parallel]]'
    asked = gemini.models.generate_content(model="fake-1", contents=question, config=declared())
    calls = asked.function_calls or []
    assert [call.args for call in calls] == [{"path": "a"}, {"path": "b"}]
    assert asked.candidates is not None
    model_turn = asked.candidates[0].content
    assert model_turn is not None
    results = [
        types.Part(function_response=types.FunctionResponse(name=c.name, response={"output": "r"}))
        for c in calls
    ]
    user = types.Content(role="user", parts=[types.Part(text=question)])
    turns = [user, model_turn, types.Content(role="user", parts=results)]
    told = gemini.models.generate_content(model="fake-1", contents=turns, config=declared())
    assert told.text == "tool said: r"


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("[[status:403]]", "PERMISSION_DENIED", 403),
        ("[[overflow]]", "INVALID_ARGUMENT", 400),
    ],
)
def test_gemini_errors(gemini: genai.Client, text: str, status: str, code: int) -> None:
    with pytest.raises(errors.ClientError) as failed:
        gemini.models.generate_content(model="fake-1", contents=text)
    assert (failed.value.status, failed.value.code) == (status, code)


def test_ollama_streams_text_thoughts_and_usage(local: ollama.Client) -> None:
    text = "[[think:hmm]] [[echo:one two]] [[usage:30:5]]"
    chunks = list(local.chat("fake-1", messages=[{"role": "user", "content": text}], stream=True))
    assert "".join(chunk.message.content or "" for chunk in chunks) == "one two"
    assert [c.message.thinking for c in chunks if c.message.thinking] == ["hmm"]
    last = chunks[-1]
    assert (last.done, last.done_reason) == (True, "stop")
    assert (last.prompt_eval_count, last.eval_count) == (30, 5)


def test_ollama_calls_tools_and_reads_results(local: ollama.Client) -> None:
    question = {"role": "user", "content": '[[tool:read {"path": "a"}]]'}
    function = {"name": "read", "parameters": {"type": "object", "properties": {}}}
    tools = [{"type": "function", "function": function}]
    asked = local.chat("fake-1", messages=[question], tools=tools)
    (call,) = asked.message.tool_calls or ()
    assert (call.function.name, call.function.arguments) == ("read", {"path": "a"})
    result = {"role": "tool", "content": "r", "tool_name": "read"}
    told = local.chat("fake-1", messages=[question, asked.message, result], tools=tools)
    assert told.message.content == "tool said: r"


def test_ollama_errors_and_its_list(local: ollama.Client) -> None:
    with pytest.raises(ollama.ResponseError) as failed:
        local.chat("fake-1", messages=[{"role": "user", "content": "[[status:404]]"}])
    assert failed.value.status_code == 404
    assert [model.model for model in local.list().models] == ["fake-1"]


def test_keys_are_not_recorded(model_server: ModelServer) -> None:
    model_server.reset()
    body: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    url = f"{model_server.url}/v1beta/models/m:generateContent"
    httpx.post(url, json=body, headers={"x-goog-api-key": "s3cret"})
    assert "s3cret" not in str(model_server.requests())


def test_the_formats_share_their_odd_streams() -> None:
    for odd in (ODD_GOOGLE, ODD_OLLAMA):
        assert set(odd) - OF_ITS_OWN <= set(ODD_CHAT)
