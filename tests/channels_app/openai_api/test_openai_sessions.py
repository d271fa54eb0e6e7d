"""Which conversation a request belongs to: a header, a user, or none."""

from __future__ import annotations

import uuid
from typing import Any

import httpx
import pytest

from tests.model_server.fixture import ModelServer


def _ask(
    http: httpx.Client, *texts: str, headers: dict[str, str] | None = None, **more: Any
) -> str:
    """Sends a conversation whose texts alternate between user and assistant."""
    roles = ["user", "assistant"]
    messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
    body = {"model": "openclaw", "messages": messages, **more}
    response = http.post("/chat/completions", json=body, headers=headers)
    assert response.status_code == 200, response.text
    found: str = response.json()["choices"][0]["message"]["content"]
    return found


def _last_request(model_server: ModelServer) -> list[dict[str, Any]]:
    body = model_server.requests()[-1]["body"]
    return [message for message in body["messages"] if message["role"] != "system"]


def test_it_works(http: httpx.Client, model_server: ModelServer) -> None:
    key = {"x-openclaw-session-key": f"agent:main:http-{uuid.uuid4().hex}"}
    _ask(http, "[[echo:first]]", headers=key)
    _ask(http, "second", headers=key)
    said = _last_request(model_server)
    assert [message["role"] for message in said] == ["user", "assistant", "user"]
    assert "second" in str(said[-1]["content"])


def test_a_user_has_one_conversation(http: httpx.Client, model_server: ModelServer) -> None:
    user = f"conv-{uuid.uuid4().hex}"
    _ask(http, "[[echo:first]]", user=user)
    _ask(http, "second", user=user)
    assert len(_last_request(model_server)) == 3


def test_without_either_each_request_is_its_own(
    http: httpx.Client, model_server: ModelServer
) -> None:
    _ask(http, "[[echo:first]]")
    _ask(http, "second")
    assert len(_last_request(model_server)) == 1


def test_the_callers_history_comes_along(http: httpx.Client, model_server: ModelServer) -> None:
    _ask(http, "My name is Ada.", "Hello Ada.", "What is my name?")
    (message,) = _last_request(model_server)
    text = str(message["content"])
    assert text.index("My name is Ada.") < text.index("Hello Ada.") < text.index("What is my name?")


def test_an_agent_that_remembers_gets_only_what_is_new(
    http: httpx.Client, model_server: ModelServer
) -> None:
    key = {"x-openclaw-session-key": f"agent:main:http-{uuid.uuid4().hex}"}
    _ask(http, "[[echo:Hello Ada.]] My name is Ada.", headers=key)
    _ask(http, "My name is Ada.", "Hello Ada.", "What is my name?", headers=key)
    said = _last_request(model_server)
    assert len(said) == 3
    assert "My name is Ada." not in str(said[-1]["content"])


def test_a_system_message_reaches_the_model(http: httpx.Client, model_server: ModelServer) -> None:
    marker = uuid.uuid4().hex
    messages = [
        {"role": "system", "content": f"Speak like {marker}."},
        {"role": "user", "content": "hi"},
    ]
    response = http.post("/chat/completions", json={"model": "openclaw", "messages": messages})
    assert response.status_code == 200
    body = model_server.requests()[-1]["body"]
    assert marker in str(body["messages"][0]["content"])


def test_an_image_reaches_the_model(http: httpx.Client, model_server: ModelServer) -> None:
    pixel = (
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
        "gg=="
    )
    content = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}},
    ]
    body = {"model": "openclaw", "messages": [{"role": "user", "content": content}]}
    response = http.post("/chat/completions", json=body)
    assert response.status_code == 200, response.text
    # The scripted model has no eyes and is told so; the image itself is in our hands.
    assert "an image is here" in str(_last_request(model_server)[-1]["content"])


@pytest.mark.parametrize("user", ["Ada Lovelace", "ada@example.org", "ü" * 300, "\u202e"])
def test_odd_users(http: httpx.Client, user: str) -> None:
    assert _ask(http, "[[echo:hi]]", user=user) == "hi"


def test_the_length_of_the_answer(http: httpx.Client, model_server: ModelServer) -> None:
    """Either name of the cap reaches the model."""
    for name in ("max_tokens", "max_completion_tokens"):
        more: dict[str, Any] = {name: 77}
        _ask(http, f"[[echo:{name}]]", **more)
        body = model_server.requests()[-1]["body"]
        assert 77 in (body.get("max_tokens"), body.get("max_completion_tokens"))
