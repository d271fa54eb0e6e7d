"""Bad requests are answered in the API's own shape, naming the field."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.platform.gateway import Gateway

HI = [{"role": "user", "content": "hi"}]
GIF = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def _image(url: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"model": "openclaw"}, "Missing user message in `messages`."),
    ({"model": "openclaw", "messages": []}, "Missing user message in `messages`."),
    (
        {"model": "gpt-4", "messages": HI},
        "Invalid `model`. Use `openclaw` or `openclaw/<agentId>`.",
    ),
    ({"model": "openclaw/nobody", "messages": HI}, "nobody"),
    ({"model": "openclaw", "messages": HI, "n": 2}, "`n` must be 1"),
    ({"model": "openclaw", "messages": HI, "max_tokens": 0}, "at /max_tokens"),
    ({"model": "openclaw", "messages": HI, "tools": [{"type": "function"}]}, "`tools`"),
    ({"model": "openclaw", "messages": "hi"}, "at /messages: must be array"),
    ({"model": "openclaw", "messages": [{"role": "king"}]}, "at /messages/0/role"),
    ({"model": "openclaw", "messages": _image("http://x/y.png")}, "must be a base64 data: URI"),
    ({"model": "openclaw", "messages": _image("data:image/svg+xml;base64,AA==")}, "svg"),
    ({"model": "openclaw", "messages": _image("data:image/png;base64,?")}, "not valid base64"),
    ({"model": "openclaw", "messages": _image(GIF) * 1, "stream": "x"}, "at /stream"),
]


@pytest.mark.parametrize(("body", "text"), BAD)
def test_bad_bodies(http: httpx.Client, body: dict[str, Any], text: str) -> None:
    response = http.post("/chat/completions", json=body)
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert text in error["message"]


def test_it_works(http: httpx.Client) -> None:
    response = http.post("/chat/completions", json={"model": "openclaw", "messages": HI})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json; charset=utf-8"


def test_no_json(http: httpx.Client) -> None:
    response = http.post("/chat/completions", content=b"{")
    assert response.status_code == 400
    assert response.json()["error"]["message"] == "The body is not valid JSON."


@pytest.mark.parametrize("key", ["cron:abc", "agent:main:subagent:1", "acp:x"])
def test_reserved_sessions(http: httpx.Client, key: str) -> None:
    body = {"model": "openclaw", "messages": HI}
    headers = {"x-openclaw-session-key": key}
    response = http.post("/chat/completions", json=body, headers=headers)
    assert response.status_code == 400
    text = "`x-openclaw-session-key` cannot use reserved internal session namespaces."
    assert response.json()["error"]["message"] == text


def test_an_agent_and_a_session_that_disagree(http: httpx.Client) -> None:
    body = {"model": "openclaw/main", "messages": HI}
    headers = {"x-openclaw-session-key": "agent:other:x"}
    assert http.post("/chat/completions", json=body, headers=headers).status_code == 400


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer wrong", "Basic abc"])
def test_no_valid_token(model_gateway: Gateway, token: str) -> None:
    headers = {"Authorization": token} if token else {}
    with httpx.Client(base_url=model_gateway.url, trust_env=False) as plain:
        for path in ("/v1/models", "/v1/models/openclaw"):
            answer = plain.get(path, headers=headers)
            assert answer.status_code == 401
            assert answer.json() == {"error": {"message": "Unauthorized", "type": "unauthorized"}}
        body = {"model": "openclaw", "messages": HI}
        answer = plain.post("/v1/chat/completions", headers=headers, json=body)
        assert answer.status_code == 401


def test_the_wrong_verb(http: httpx.Client) -> None:
    response = http.get("/chat/completions")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert response.text == "Method Not Allowed"


@pytest.mark.parametrize("model", ["nothing/at-all", "no-such-model", "openai/scripted@nobody"])
def test_a_header_with_no_model(http: httpx.Client, model: str) -> None:
    body = {"model": "openclaw", "messages": HI}
    response = http.post("/chat/completions", json=body, headers={"x-openclaw-model": model})
    assert response.status_code == 400, response.text
    assert "`x-openclaw-model`: " in response.json()["error"]["message"]
