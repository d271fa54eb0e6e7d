"""The scripted model server keeps its promises, seen with a plain HTTP client."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.model_server.fixture import ModelServer
from tests.model_server.odd_chat import ODD_CHAT
from tests.model_server.odd_messages import ODD_MESSAGES
from tests.model_server.script import script_parse


def ask(server: ModelServer, path: str, text: str, **values: Any) -> httpx.Response:
    body = {"model": "fake-1", "messages": [{"role": "user", "content": text}], **values}
    return httpx.post(f"{server.url}{path}", json=body, headers={"authorization": "Bearer s3cret"})


def test_it_works(model_server: ModelServer) -> None:
    whole = ask(model_server, "/v1/chat/completions", "[[echo:hi]]").json()
    assert whole["choices"][0]["message"]["content"] == "hi"
    whole = ask(model_server, "/messages", "[[echo:hi]]").json()
    assert whole["content"] == [{"type": "text", "text": "hi"}]


def test_stream_ends_with_the_mark(model_server: ModelServer) -> None:
    stream = ask(model_server, "/v1/chat/completions", "hi", stream=True)
    assert stream.text.endswith("data: [DONE]\n\n")
    assert '"content": "ok"' in stream.text


def test_status_for_the_first_requests_only(model_server: ModelServer) -> None:
    model_server.reset()
    found = [ask(model_server, "/v1/messages", "[[status:529:2]]").status_code for _ in range(3)]
    assert found == [529, 529, 200]
    assert model_server.stats()["status_529"] == 2


def test_overflow_only_beyond_a_size(model_server: ModelServer) -> None:
    assert ask(model_server, "/v1/messages", "[[overflow:500]]").status_code == 200
    assert ask(model_server, "/v1/messages", "[[overflow:500]]" + "x" * 500).status_code == 400


def test_requests_are_recorded_without_secrets(model_server: ModelServer) -> None:
    model_server.reset()
    ask(model_server, "/v1/chat/completions", "remember me")
    (found,) = model_server.requests()
    assert found["path"] == "/v1/chat/completions"
    assert found["body"]["messages"][0]["content"] == "remember me"
    assert "s3cret" not in str(found)


def test_settings(model_server: ModelServer) -> None:
    model_server.config(default="another word")
    try:
        whole = ask(model_server, "/v1/messages", "hi").json()
    finally:
        model_server.config(default="ok")
    assert whole["content"][0]["text"] == "another word"


def test_both_formats_have_the_same_odd_streams() -> None:
    assert set(ODD_CHAT) - set(ODD_MESSAGES) == {"lost_call"}
    assert set(ODD_MESSAGES) <= set(ODD_CHAT)


@pytest.mark.parametrize(
    "text", ["[[", "[[tool:]]", "[[tokens:many]]", "[[nothing]]", "[[tool:x {]]"]
)
def test_malformed_directives_are_passed_over(text: str) -> None:
    script = script_parse(f"{text} [[echo:still here]]")
    assert script.text == "still here"


def test_arguments_may_hold_brackets() -> None:
    script = script_parse('[[tool:read {"path": "a]]b", "n": [[1]]}]] [[final:x]]')
    assert script.tools == [("read", {"path": "a]]b", "n": [[1]]})]
    assert script.final == "x"
