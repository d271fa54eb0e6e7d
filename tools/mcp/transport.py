"""How a server is reached: a child process, streamable HTTP, or server-sent events."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from tools.mcp.schema import McpServer
from tools.mcp.stdio import stdio_streams

Streams = AbstractAsyncContextManager[tuple[Any, Any]]


def streams_open(name: str, server: McpServer, said: deque[str]) -> Streams:
    """The two streams of a connection, as a context that closes them; `said` gets what the
    server says about its troubles."""
    if server.way == "stdio":
        return stdio_streams(name, server, said)
    if server.way == "sse":
        from mcp.client.sse import sse_client

        seconds = server.connection_timeout_ms / 1000
        return sse_client(server.url, headers=dict(server.headers), timeout=seconds)
    return _http_streams(server, said)


@asynccontextmanager
async def _http_streams(server: McpServer, said: deque[str]) -> AsyncIterator[tuple[Any, Any]]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def look(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            said.append(f"it answered with status {response.status_code}")

    # A stream between calls may be silent; calls have a limit of their own.
    timeout = httpx2.Timeout(server.connection_timeout_ms / 1000, read=None)
    async with (
        httpx2.AsyncClient(
            headers=dict(server.headers), timeout=timeout, event_hooks={"response": [look]}
        ) as client,
        streamable_http_client(server.url, http_client=client) as streams,
    ):
        yield streams
