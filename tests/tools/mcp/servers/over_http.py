"""Servers over HTTP, in threads of the test: streamable, server-sent events, or out of order."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tests.tools.mcp.servers.offers import server_make


@contextmanager
def http_server(app: Any) -> Iterator[str]:
    """Serves an ASGI application on a free port until the end; yields its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


def streamable(kind: str) -> Any:
    """A proper server, at /mcp."""
    return server_make(kind).streamable_http_app()


async def broken(scope: Any, receive: Any, send: Any) -> None:
    """Answers everything with 500."""
    if scope["type"] == "lifespan":
        return await _lifespan(receive, send)
    await send({"type": "http.response.start", "status": 500, "headers": []})
    await send({"type": "http.response.body", "body": b"out of order"})
    return None


async def _lifespan(receive: Any, send: Any) -> None:
    for name in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{name}.complete"})
