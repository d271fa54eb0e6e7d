"""A token of a sign-in is sent with the beta that a Messages service wants for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agents.core.abort import AbortSignal
from agents.core.messages import UserMessage
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.registry import ClientPool

SEEN: list[dict[str, str]] = []


class Refusing(BaseHTTPRequestHandler):
    """Keeps the headers and refuses."""

    def do_POST(self) -> None:
        """Notes who asked."""
        self.rfile.read(int(self.headers["Content-Length"]))
        SEEN.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(401)
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        """Says nothing."""


@pytest.fixture
def model() -> Iterator[ModelInfo]:
    """A Claude at a service that refuses everybody."""
    SEEN.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    yield ModelInfo("anthropic", "claude", "anthropic-messages", base_url=url, api_key="secret-1")
    server.shutdown()
    server.server_close()


async def sent(model: ModelInfo) -> dict[str, str]:
    """The headers of one call."""
    pool = ClientPool()
    try:
        request = ModelRequest(model, (UserMessage("hi"),))
        events = [event async for event in pool.stream(request, AbortSignal())]
    finally:
        await pool.aclose()
    assert len(events) >= 1
    return SEEN[-1]


async def test_it_works(model: ModelInfo) -> None:
    headers = await sent(model)
    assert headers["authorization"] == "Bearer secret-1"
    assert "anthropic-beta" not in headers


@pytest.mark.parametrize("kind", ["oauth", "token"])
async def test_token(model: ModelInfo, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no key of the environment slips in beside it."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-other")
    own = {"anthropic-beta": "mine"}
    headers = await sent(replace(model, compat={"credential": kind}, headers=own))
    assert headers["authorization"] == "Bearer secret-1"
    assert headers["anthropic-beta"] == "mine,oauth-2025-04-20"
