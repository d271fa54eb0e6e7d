"""An Ollama on this machine is found by itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import orjson
import pytest

from agents.catalog.listing import models_list, provider_in_use
from agents.catalog.ollama import ollama_address, ollama_forget, ollama_models
from agents.catalog.resolve import default_model_ref, resolve_model
from agents.core.errors import UserError


class Server(HTTPServer):
    """Answers like Ollama's list of models and counts how often it was asked."""

    asked = 0
    answer: object = {"models": [{"name": "qwen3:8b"}, {"name": "llama3:latest"}]}


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked += 1
        body = orjson.dumps(self.server.answer)
        self.send_response(200 if self.path == "/api/tags" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keeps the test's output clean."""


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{server.server_port}")
    ollama_forget()
    yield server
    server.shutdown()
    server.server_close()
    ollama_forget()


@pytest.mark.django_db
def test_it_works(ollama: Server) -> None:
    assert default_model_ref() == "ollama/qwen3:8b"
    model = resolve_model(ref="")
    assert model.base_url == f"http://127.0.0.1:{ollama.server_port}"
    assert (model.api, model.provider) == ("ollama", "ollama")
    assert provider_in_use()["source"] == "local"
    assert [model.ref for model in models_list()] == [
        "ollama/qwen3:8b",
        "rehearsal/rehearsal",
        "ollama/llama3:latest",
    ]


@pytest.mark.django_db
def test_bare_names(ollama: Server) -> None:
    assert resolve_model(ref="qwen3:8b").ref == "ollama/qwen3:8b"
    assert resolve_model(ref="llama3").ref == "ollama/llama3:latest"
    with pytest.raises(UserError):
        resolve_model(ref="mistral-of-nobody")


@pytest.mark.django_db
def test_it_is_asked_once_for_many_messages(ollama: Server) -> None:
    for _ in range(20):
        resolve_model(ref="")
    assert ollama.asked == 1


@pytest.mark.django_db
def test_it_is_not_asked_when_something_better_is_set(
    ollama: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")
    resolve_model(ref="")
    resolve_model(ref="ollama/any-model")
    assert ollama.asked == 0


def test_what_was_found_stays_while_it_restarts(
    ollama: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(ollama_models()) == 2
    monkeypatch.setattr("agents.catalog.ollama._INTERVAL", -1.0)
    ollama.answer = {"error": "starting"}
    assert len(ollama_models()) == 2
    ollama.answer = {"models": [{"name": "new"}]}
    assert ollama_models() == ("new",)


@pytest.mark.parametrize("answer", [[], {"models": None}, {"models": [1]}, "text", {}])
def test_other_services_are_no_ollama(ollama: Server, answer: object) -> None:
    ollama.answer = answer
    assert ollama_models() == ()


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    ollama_forget()
    assert ollama_models() == ()
    ollama_forget()


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("10.0.0.9:1234", "http://10.0.0.9:1234"),
        ("https://box.example", "https://box.example:11434"),
        ("http://[::]:99", "http://[::1]:99"),
        ("box:port", "http://127.0.0.1:11434"),
    ],
)
def test_addresses(host: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert ollama_address() == address
