"""The tabs of one session: a context of its own, with its own cookies and its own way out."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from agents.core.errors import ToolError
from tools.browser.downloads import Downloads
from tools.browser.failures import explained, soon
from tools.browser.launch import WITHOUT_WEBRTC
from tools.browser.proxy import GuardProxy
from tools.browser.tab import Tab

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page

MAX_TABS = 20
VIEWPORT = {"width": 1280, "height": 800}

log = structlog.get_logger(__name__)


class BrowserSession:
    """Created by the engine. `lock` is held by whoever acts; `used` is when that was (monotonic).

    Popups of a page become tabs; above the limit they are closed at once.
    """

    def __init__(self, proxy: GuardProxy) -> None:
        self.proxy = proxy
        self.lock = asyncio.Lock()
        self.used = time.monotonic()
        self.tabs: dict[str, Tab] = {}
        self.downloads = Downloads()
        self.current = ""
        self._context: BrowserContext | None = None
        self._count = 0

    async def start(self, browser: Browser) -> None:
        """Opens the context. Raises ToolError."""
        with explained("The browser could not be started"):
            address = await self.proxy.start()
            self._context = await browser.new_context(
                proxy={"server": address},
                viewport=VIEWPORT,  # type: ignore[arg-type]
                accept_downloads=True,
            )
            await self._context.add_init_script(WITHOUT_WEBRTC)
        self._context.on("page", self._opened)

    async def close(self) -> None:
        """Closes the context with all tabs, and the way out."""
        if self._context is not None:
            await soon(self._context.close(), None, seconds=10)
        await self.proxy.close()

    async def tab_new(self, label: str = "") -> Tab:
        """An empty tab, which becomes the current one. Raises ToolError when there are too many."""
        if len(self.tabs) >= MAX_TABS:
            raise ToolError(f"There are {MAX_TABS} tabs open; close one first (action close).")
        assert self._context is not None  # noqa: S101 - started by the engine
        with explained("No tab could be opened"):
            page = await self._context.new_page()
        tab = self._add(page)
        tab.label = label
        self.current = tab.id
        return tab

    def tab(self, target: str = "") -> Tab:
        """The tab of this id or label, the current one for "". Raises ToolError."""
        wanted = target or self.current
        found = self.tabs.get(wanted)
        if found is None and target:
            found = next((tab for tab in self.tabs.values() if tab.label == target), None)
        if found is not None:
            return found
        if not self.tabs:
            raise ToolError("No tab is open. Use action open with a url first.")
        known = ", ".join(self.tabs)
        raise ToolError(f"targetId: there is no tab {target[:40]!r}. Open are: {known}.")

    async def tab_close(self, tab: Tab) -> None:
        """Closes a tab."""
        await soon(tab.page.close(), None, seconds=5)
        self._closed(tab)

    def _opened(self, page: Page) -> None:
        if any(tab.page is page for tab in self.tabs.values()):
            return
        if len(self.tabs) >= MAX_TABS:
            task = asyncio.ensure_future(soon(page.close(), None))
            task.add_done_callback(lambda _done: log.info("browser.popup_closed"))
            return
        self._add(page)

    def _add(self, page: Page) -> Tab:
        known = next((tab for tab in self.tabs.values() if tab.page is page), None)
        if known is not None:
            return known
        self._count += 1
        tab = self.tabs[f"t{self._count}"] = Tab(f"t{self._count}", page)
        self.current = self.current or tab.id
        tab.watch()
        page.on("close", lambda _page: self._closed(tab))
        page.on("crash", lambda _page: self._closed(tab))
        page.on("download", self.downloads.begin)
        return tab

    def _closed(self, tab: Tab) -> None:
        self.tabs.pop(tab.id, None)
        if self.current == tab.id:
            self.current = next(reversed(self.tabs), "")

    def uses(self, workspace: Path) -> None:
        """Somebody acts now: files go into this workspace."""
        self.used = time.monotonic()
        self.downloads.workspace = workspace
