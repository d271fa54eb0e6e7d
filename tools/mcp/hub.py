"""All connections of this process, on an event loop in a thread of its own.

A server that sends nonsense by the megabyte, and the SDK that reads it, hold up no turn.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
import time
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

import structlog
from django.db import DatabaseError

from agents.database import run_db
from tools.mcp.catalogue import Catalogue
from tools.mcp.connection import CLOSE_SECONDS, Connection, Listed
from tools.mcp.failures import McpUnavailableError, reason_of
from tools.mcp.settings import Configured
from tools.mcp.store import catalogue_store

T = TypeVar("T")

# Seconds until a server that failed is tried again by itself; doubled each time.
FIRST_PAUSE, LONGEST_PAUSE = 30.0, 600.0
IDLE_SECONDS = 600.0

log = structlog.get_logger(__name__)


class Hub:
    """Connects lazily, at most once to each server. Everything may be called from any thread."""

    def __init__(self) -> None:
        self.idle_seconds = IDLE_SECONDS
        self._loop = asyncio.new_event_loop()
        self._connections: dict[str, Connection] = {}
        # Those that are being closed, too.
        self._open: set[Connection] = set()
        # Mark of a server's settings → when it may be tried again, and the pause after that.
        self._pauses: dict[str, tuple[float, float]] = {}
        self._trying: dict[str, Future[None]] = {}
        self._thread = threading.Thread(target=self._run, name="mcp", daemon=True)
        self._thread.start()

    def call(
        self, configured: Configured, remote: str, arguments: Mapping[str, Any]
    ) -> Future[Mapping[str, Any]]:
        """Calls a tool; see `Connection.call`. Cancelling the future cancels the request."""
        return self._submit(self._call(configured, remote, arguments))

    def discover(self, configured: Configured) -> Future[None]:
        """Connects and lets the rows say what came of it; the future never fails.

        While the server is being tried it is the same future, during a pause an ended one.
        """
        trying = self._trying.get(configured.mark)
        if trying is not None and not trying.done():
            return trying
        if self._pauses.get(configured.mark, (0.0, 0.0))[0] > time.monotonic():
            done: Future[None] = Future()
            done.set_result(None)
            return done
        self._trying[configured.mark] = found = self._submit(self._discover(configured))
        return found

    def test(self, configured: Configured) -> Future[Catalogue]:
        """Connects anew and returns the tools. Fails with McpUnavailableError."""
        return self._submit(self._test(configured))

    def retain(self, marks: Iterable[str]) -> None:
        """Closes the connections to servers whose settings are gone."""
        keep = set(marks)
        stale = [one for one in list(self._connections.values()) if one.configured.mark not in keep]
        for connection in stale:
            self._submit(connection.close())

    def stop(self) -> None:
        """Closes everything; returns when the child processes are gone."""
        with contextlib.suppress(TimeoutError):
            self._submit(self._close_all()).result(CLOSE_SECONDS + 2)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(2)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _connection(self, configured: Configured) -> Connection:
        known = self._connections.get(configured.name)
        if known is not None and not known.over and known.configured.mark == configured.mark:
            return known
        if known is not None and not known.over:
            self._submit(known.close())
        self._connections[configured.name] = made = self._made(configured, self._listed)
        return made

    def _made(self, configured: Configured, listed: Listed) -> Connection:
        made = Connection(configured, self.idle_seconds, listed)
        self._open.add(made)
        made.when_closed(self._open.discard)
        return made

    async def _listed(self, configured: Configured, catalogue: Catalogue) -> None:
        self._pauses.pop(configured.mark, None)
        for problem in catalogue.problems:
            log.warning("mcp_tool_left_out", server=configured.name, problem=problem)
        await _stored(configured, catalogue=catalogue)

    async def _call(
        self, configured: Configured, remote: str, arguments: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        connection = self._connection(configured)
        try:
            await connection.session()
        except McpUnavailableError as error:
            await self._failed(configured, error)
            raise
        return await connection.call(remote, arguments)

    async def _discover(self, configured: Configured) -> None:
        try:
            await self._connection(configured).session()
        except McpUnavailableError as error:
            await self._failed(configured, error)

    async def _failed(self, configured: Configured, error: McpUnavailableError) -> None:
        pause = self._pauses.get(configured.mark, (0.0, FIRST_PAUSE))[1]
        following = min(pause * 2, LONGEST_PAUSE)
        self._pauses[configured.mark] = (time.monotonic() + pause, following)
        log.warning("mcp_server_unusable", server=configured.name, problem=str(error))
        await _stored(configured, problem=reason_of(error))

    async def _test(self, configured: Configured) -> Catalogue:
        found: list[Catalogue] = []

        async def listed(_configured: Configured, catalogue: Catalogue) -> None:
            found.append(catalogue)

        connection = self._made(configured, listed)
        try:
            await connection.session()
            return found[0]
        finally:
            await connection.close()

    async def _close_all(self) -> None:
        closing = [one.close() for one in list(self._open)]
        await asyncio.gather(*closing, return_exceptions=True)


async def _stored(configured: Configured, **found: Any) -> None:
    def store() -> None:
        catalogue_store(server=configured.name, mark=configured.mark, **found)

    try:
        await run_db(store)
    except DatabaseError as error:
        log.warning("mcp_not_stored", server=configured.name, error=str(error))


_hub: Hub | None = None
_lock = threading.Lock()


def hub() -> Hub:
    """The hub of this process, made when first needed."""
    global _hub
    with _lock:
        if _hub is None:
            _hub = Hub()
            atexit.register(hub_stop)
        return _hub


def hub_running() -> Hub | None:
    """The hub, if there is one already."""
    return _hub


def hub_stop() -> None:
    """Closes every connection of this process; without a hub it does nothing."""
    global _hub
    with _lock:
        current, _hub = _hub, None
    if current is not None:
        current.stop()


def _forget() -> None:
    # Threads do not survive a fork, and the child processes belong to the parent.
    global _hub
    _hub = None


os.register_at_fork(after_in_child=_forget)
