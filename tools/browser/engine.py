"""The browser of this process: started when first used, ended when nobody uses it.

Playwright's driver ends the browser with its process group when its input closes, so neither
survives the worker, however that ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

import structlog

from agents.core.errors import ToolError
from tools.browser.availability import settings_problem
from tools.browser.failures import explained, soon
from tools.browser.launch import launch_key, launch_options
from tools.browser.proxy import GuardProxy
from tools.browser.session import BrowserSession
from tools.browser.settings import POLICY_KEY, BrowserDocument
from tools.net.hosts import Resolver, system_resolver

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

# Seconds after which the tabs of a session are closed, and how often that is looked at.
IDLE_SECONDS = 900.0
_LOOK_SECONDS = 30.0
# Contexts at the same time; the one that was used longest ago makes room.
MOST_SESSIONS = 8

log = structlog.get_logger(__name__)


class BrowserEngine:
    """Belongs to one event loop."""

    def __init__(
        self, *, resolver: Resolver = system_resolver, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._resolver = resolver
        self._idle = idle_seconds
        self._lock = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._key: tuple[object, ...] = ()
        self._sessions: dict[str, BrowserSession] = {}
        self._reaper: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether a browser runs."""
        return self._browser is not None and self._browser.is_connected()

    @property
    def version(self) -> str:
        """The version of the running browser, "" without one."""
        return self._browser.version if self._browser is not None and self.running else ""

    def session_find(self, key: str) -> BrowserSession | None:
        """The session's tabs, None when it has none here."""
        return self._sessions.get(key) if self.running else None

    async def session(self, key: str, settings: BrowserDocument) -> BrowserSession:
        """The session's tabs; browser and context are started if need be. Raises ToolError."""
        async with self._lock:
            await self._start(settings)
            found = self._sessions.get(key) or await self._session_new(key)
            found.used = time.monotonic()
            found.proxy.policy = settings.ssrf_policy.network_policy(POLICY_KEY)
            return found

    async def session_close(self, key: str) -> bool:
        """Closes the tabs of a session. False: there were none. An unused browser ends later."""
        async with self._lock:
            found = self._sessions.pop(key, None)
            if found is not None:
                await found.close()
            return found is not None

    async def close(self) -> None:
        """Ends everything."""
        async with self._lock:
            await self._stop()
        if self._reaper is not None:
            self._reaper.cancel()
            self._reaper = None

    async def _start(self, settings: BrowserDocument) -> None:
        if problem := settings_problem(settings):
            await self._stop()
            raise ToolError(f"There is no browser: {problem}.")
        if self.running and self._key == launch_key(settings):
            return
        await self._stop()
        # The package takes long to read; other turns go on meanwhile.
        await asyncio.to_thread(import_module, "playwright.async_api")
        from playwright.async_api import async_playwright

        with explained("The browser could not be started"):
            try:
                self._playwright = await async_playwright().start()
                options: dict[str, Any] = launch_options(settings)
                self._browser = await self._playwright.chromium.launch(**options)
            except BaseException:
                await self._stop()
                raise
        self._key = launch_key(settings)
        log.info("browser.started", version=self._browser.version)
        if self._reaper is None:
            self._reaper = asyncio.ensure_future(self._reap())

    async def _stop(self) -> None:
        sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            await session.close()
        browser, self._browser = self._browser, None
        playwright, self._playwright = self._playwright, None
        if browser is not None:
            await soon(browser.close(), None, seconds=10)
        if playwright is not None:
            with contextlib.suppress(Exception):
                await playwright.stop()

    async def _session_new(self, key: str) -> BrowserSession:
        if len(self._sessions) >= MOST_SESSIONS:
            idle = {name: s for name, s in self._sessions.items() if not s.lock.locked()}
            if not idle:
                raise ToolError(f"{MOST_SESSIONS} sessions use the browser; try again later.")
            await self._sessions.pop(min(idle, key=lambda name: idle[name].used)).close()
        assert self._browser is not None  # noqa: S101 - started above
        session = BrowserSession(GuardProxy(resolver=self._resolver))
        try:
            await session.start(self._browser)
        except BaseException:
            await session.close()
            raise
        self._sessions[key] = session
        return session

    async def _reap(self) -> None:
        while True:
            await asyncio.sleep(min(_LOOK_SECONDS, self._idle / 2))
            async with self._lock:
                await self._reap_once(time.monotonic() - self._idle)

    async def _reap_once(self, before: float) -> None:
        for key, session in list(self._sessions.items()):
            if session.used < before and not session.lock.locked():
                await self._sessions.pop(key).close()
        if not self._sessions and self._browser is not None:
            await self._stop()
            log.info("browser.ended_idle")


_engines: dict[asyncio.AbstractEventLoop, BrowserEngine] = {}


def engine_here() -> BrowserEngine:
    """The engine of the running event loop; a worker has one."""
    loop = asyncio.get_running_loop()
    if loop not in _engines:
        for gone in [known for known in _engines if known.is_closed()]:
            del _engines[gone]
        _engines[loop] = BrowserEngine()
    return _engines[loop]
