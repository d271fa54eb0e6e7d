"""Chat completions through the official SDK, streamed and whole."""

from __future__ import annotations

import httpx
import openai
import orjson
import pytest
from openai import OpenAI

ASK = [{"role": "user", "content": "[[tokens:5:5]]"}]


def test_it_works(client: OpenAI) -> None:
    answer = client.chat.completions.create(
        model="openclaw", messages=[{"role": "user", "content": "[[echo:hello]] [[usage:7:3]]"}]
    )
    assert answer.object == "chat.completion"
    assert answer.model == "openclaw"
    choice = answer.choices[0]
    assert (choice.message.role, choice.message.content) == ("assistant", "hello")
    assert choice.finish_reason == "stop"
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (7, 3)


def test_a_stream(client: OpenAI) -> None:
    stream = client.chat.completions.create(
        model="openclaw",
        messages=[{"role": "user", "content": "[[tokens:20:10]]"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    first, *middle, last, usage = chunks
    assert first.choices[0].delta.role == "assistant"
    text = "".join(chunk.choices[0].delta.content or "" for chunk in middle)
    assert text.strip() == " ".join(f"tok{number}" for number in range(20))
    assert len(middle) > 1
    assert last.choices[0].finish_reason == "stop"
    assert usage.choices == []
    assert usage.usage is not None
    assert usage.usage.total_tokens == usage.usage.prompt_tokens + usage.usage.completion_tokens
    assert len({chunk.id for chunk in chunks}) == 1


def test_the_bytes_of_a_stream(http: httpx.Client) -> None:
    body = {"model": "openclaw", "messages": ASK, "stream": True}
    with http.stream("POST", "/chat/completions", json=body) as response:
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        events = [event for event in response.read().split(b"\n\n") if event]
    assert all(event.startswith(b"data: ") for event in events)
    assert events[-1] == b"data: [DONE]"
    bodies = [orjson.loads(event[6:]) for event in events[:-1]]
    finishes = [body["choices"][0]["finish_reason"] for body in bodies]
    assert finishes == [None] * (len(bodies) - 1) + ["stop"]
    assert not any("usage" in body for body in bodies)


def test_a_turn_with_a_tool_streams_its_last_words(client: OpenAI) -> None:
    text = '[[tool:exec {"command":"echo hi"}]] [[final:done]]'
    stream = client.chat.completions.create(
        model="openclaw/main", messages=[{"role": "user", "content": text}], stream=True
    )
    said = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert said == "done"


def test_a_model_that_fails(client: OpenAI) -> None:
    failing = [{"role": "user", "content": "[[status:401]]"}]
    with pytest.raises(openai.APIStatusError) as whole:
        client.chat.completions.create(model="openclaw", messages=failing)  # type: ignore[arg-type]
    assert whole.value.status_code >= 400
    assert whole.value.body
    with pytest.raises(openai.APIError) as streamed:
        list(
            client.chat.completions.create(
                model="openclaw",
                messages=failing,  # type: ignore[arg-type]
                stream=True,
            )
        )
    assert streamed.value.message


def test_a_command_is_answered_without_the_model(client: OpenAI) -> None:
    answer = client.chat.completions.create(
        model="openclaw", messages=[{"role": "user", "content": "/status"}]
    )
    assert "main" in (answer.choices[0].message.content or "")


def test_models(client: OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert names == ["openclaw", "openclaw/default", "openclaw/main"]
    assert client.models.retrieve("openclaw/main").owned_by == "openclaw"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-4")
