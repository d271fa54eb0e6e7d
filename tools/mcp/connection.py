"""One connection to one server, owned by one task from its beginning to its end."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import structlog

from agents.core.untrusted import one_line
from tools.mcp.catalogue import Catalogue, catalogue_make
from tools.mcp.failures import McpUnavailableError, reason_of
from tools.mcp.listing import offers_list
from tools.mcp.settings import Configured
from tools.mcp.transport import streams_open
from tools.mcp.watched import WatchedStream

# Seconds that closing may take; child processes have shorter limits of their own.
CLOSE_SECONDS = 8.0

log = structlog.get_logger(__name__)

Listed = Callable[[Configured, Catalogue], Awaitable[None]]


class Connection:
    """Opened by `start`, closed by `close`, by the server, or when nobody used it for a while.

    All of it belongs to one event loop. `listed` is told the tools after connecting and whenever
    the server says that they changed.
    """

    def __init__(self, configured: Configured, idle_seconds: float, listed: Listed) -> None:
        self.configured = configured
        self.over = False
        self._idle_seconds = idle_seconds
        self._listed = listed
        self._news: asyncio.Queue[str] = asyncio.Queue()
        self._ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # Nobody may be there to hear of a failure.
        self._ready.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._calls = 0
        # What the server said at last often tells why it failed.
        self._said: deque[str] = deque(maxlen=1)
        self._task = asyncio.create_task(self._run())

    async def session(self) -> Any:
        """The session of the SDK. Raises McpUnavailableError when there will be none."""
        return await asyncio.shield(self._ready)

    async def call(self, remote: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the server answers, in the protocol's names.

        Raises McpUnavailableError without a connection, TimeoutError when the answer takes too
        long, and what the SDK raises for errors of the protocol. Cancelling it cancels the request.
        """
        session = await self.session()
        self._calls += 1
        try:
            async with asyncio.timeout(self.configured.server.call_timeout_ms / 1000):
                answer = await session.call_tool(remote, dict(arguments))
        finally:
            self._calls -= 1
            self._news.put_nowait("used")
        return answer.model_dump(by_alias=True, mode="json", exclude_none=True)  # type: ignore[no-any-return]

    async def close(self) -> None:
        """Ends it; returns when its process is gone."""
        if self._ready.done():
            self._news.put_nowait("close")
        else:
            self._task.cancel()
        await asyncio.wait([self._task], timeout=CLOSE_SECONDS)
        self._task.cancel()

    def when_closed(self, closed: Callable[[Connection], None]) -> None:
        """Calls `closed` when nothing of the connection is left."""
        self._task.add_done_callback(lambda _task: closed(self))

    async def _run(self) -> None:
        try:
            # What goes wrong in the transport comes out where its context is left.
            async with asyncio.timeout(None) as limit, AsyncExitStack() as stack:
                try:
                    await self._connected(stack)
                finally:
                    self.over = True
                    limit.reschedule(asyncio.get_running_loop().time() + CLOSE_SECONDS)
        except Exception as error:  # noqa: BLE001 - a server may fail in any way
            self._fail(error)
        finally:
            self._fail(McpUnavailableError("the connection was closed"))

    async def _connected(self, stack: AsyncExitStack) -> None:
        async with asyncio.timeout(self.configured.server.connection_timeout_ms / 1000):
            session = await self._open(stack)
            catalogue = await self._catalogue(session)
        await self._listed(self.configured, catalogue)
        self._ready.set_result(session)
        await self._live(session)

    def _fail(self, error: Exception) -> None:
        if not self._ready.done():
            last = f"; {one_line(self._said[-1], 200)}" if self._said else ""
            self._ready.set_exception(McpUnavailableError(reason_of(error) + last))

    async def _open(self, stack: AsyncExitStack) -> Any:
        from mcp.client.session import ClientSession

        streams = streams_open(self.configured.name, self.configured.server, self._said)
        answers, requests = await stack.enter_async_context(streams)
        watched: Any = WatchedStream(answers, lambda: self._news.put_nowait("ended"))
        session = ClientSession(watched, requests, message_handler=self._heard)
        await stack.enter_async_context(session)
        await session.initialize()
        return session

    async def _catalogue(self, session: Any) -> Catalogue:
        configured = self.configured
        offers = await offers_list(session)
        return catalogue_make(configured.name, offers, configured.server.tools)

    async def _heard(self, message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self._news.put_nowait("list")

    async def _live(self, session: Any) -> None:
        """Returns when the connection has to end."""
        while True:
            try:
                news = await asyncio.wait_for(self._news.get(), self._idle_seconds)
            except TimeoutError:
                if self._calls == 0:
                    return
                continue
            if news in ("close", "ended"):
                if news == "ended":
                    log.info("mcp_server_ended", server=self.configured.name)
                return
            if news == "list":
                await self._relist(session)

    async def _relist(self, session: Any) -> None:
        try:
            async with asyncio.timeout(self.configured.server.connection_timeout_ms / 1000):
                catalogue = await self._catalogue(session)
        except Exception as error:  # noqa: BLE001 - the tools that are known go on
            name = self.configured.name
            log.warning("mcp_list_failed", server=name, problem=reason_of(error))
        else:
            await self._listed(self.configured, catalogue)
