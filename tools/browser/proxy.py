"""The only way out of a browser: a proxy on this machine that connects to checked addresses.

The browser itself looks up no name. Whatever a page asks for, by whatever means, comes here as a
name; the name is looked up once, every answer is checked, and the connection goes to one of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

import structlog

from agents.core.errors import OpenClawError
from tools.browser.proxy_head import ProxyRequest, request_read
from tools.net.hosts import Resolver, host_addresses, system_resolver
from tools.net.policy import PUBLIC, NetworkPolicy

_HEAD_BYTES = 256 * 1024
_HEAD_SECONDS = 30.0
_CONNECT_SECONDS = 10.0
_CLOSE_SECONDS = 5.0
_STEP = 65_536
# Refusals that are kept to be told.
_KEPT = 50

log = structlog.get_logger(__name__)


class GuardProxy:
    """Serves one browser context. `policy` may be exchanged while it runs.

    `refused` are the newest hosts that were not connected to, each with the reason.
    """

    def __init__(self, policy: NetworkPolicy = PUBLIC, resolver: Resolver = system_resolver):
        self.policy = policy
        self.refused: deque[tuple[str, str]] = deque(maxlen=_KEPT)
        self.resolver = resolver
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Listens on a free port of this machine; returns its address. Raises OSError."""
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", 0, limit=_HEAD_BYTES, family=0
        )
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Ends every connection."""
        if self._server is not None:
            self._server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Not a coroutine function: its task would be nobody's, and could not be cancelled.
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream: asyncio.StreamWriter | None = None
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            request = request_read(head)
            found, upstream = await self._connect(request)
            await _carry(request, reader, writer, found, upstream)
        except OpenClawError as error:
            log.info("browser.refused", reason=error.message)
            # A page may read this: the reason, with the address of a name, is not for it.
            await _refuse(writer, 403, "The gateway refused this connection.")
        except (OSError, TimeoutError):
            await _refuse(writer, 502, "The connection failed.")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except Exception:
            log.exception("browser.proxy_failed")
        finally:
            if upstream is not None:
                upstream.transport.abort()
            await _close(writer)

    async def _connect(
        self, request: ProxyRequest
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            addresses = await host_addresses(
                request.host, request.port, policy=self.policy, resolver=self.resolver
            )
        except OpenClawError as error:
            self.refused.append((request.host, error.message))
            raise
        failure: Exception = OSError(f"{request.host} has no address")
        for address in addresses:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    return await asyncio.open_connection(str(address), request.port)
            except (OSError, TimeoutError) as error:
                failure = error
        raise failure


async def _carry(
    request: ProxyRequest,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    found: asyncio.StreamReader,
    upstream: asyncio.StreamWriter,
) -> None:
    """Carries bytes in both directions until one side is through."""
    if request.tunnel:
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        there = _pump(reader, upstream)
    else:
        upstream.write(request.head)
        there = _send(request.length, reader, upstream)
    tasks = [asyncio.ensure_future(there), asyncio.ensure_future(_pump(found, writer))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done() and request.tunnel and not tasks[1].done():
            # What was sent before the browser closed its side may still be answered.
            await asyncio.wait(tasks, timeout=_CONNECT_SECONDS)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(_STEP):
        target.write(data)
        await target.drain()
    with contextlib.suppress(OSError, RuntimeError):
        await target.drain()
        target.write_eof()


async def _send(length: int, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Sends the body and then waits for the end: another request may be for another host."""
    while length > 0:
        data = await source.read(min(_STEP, length))
        if not data:
            return
        length -= len(data)
        target.write(data)
        await target.drain()
    await source.read(1)


async def _close(writer: asyncio.StreamWriter) -> None:
    """Closes after what was written has gone; a side that takes nothing is not waited for."""
    writer.close()
    try:
        async with asyncio.timeout(_CLOSE_SECONDS):
            await writer.wait_closed()
    except (OSError, TimeoutError):
        writer.transport.abort()
    except asyncio.CancelledError:
        writer.transport.abort()
        raise


async def _refuse(writer: asyncio.StreamWriter, status: int, reason: str) -> None:
    body = reason.encode()
    head = (
        f"HTTP/1.1 {status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    with contextlib.suppress(OSError, RuntimeError):
        writer.write(head.encode() + body)
        await writer.drain()
        writer.write_eof()
