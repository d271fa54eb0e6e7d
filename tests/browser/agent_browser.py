"""The tool `browser` on a loop of its own, as in a worker, and a small site for it."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import WSMsgType, web

from agents.core.abort import AbortSignal
from agents.core.messages import Image, blocks_text
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from tests.browser.conftest import CHROMIUM
from tests.tools.net.conftest import INSIDE, PUBLIC, Names
from tools.browser.engine import BrowserEngine, _engines
from tools.browser.settings import BrowserDocument
from tools.builtin.browser import BrowserTool

T = TypeVar("T")

# Longer than anything takes on a busy machine.
PATIENCE = 100.0


@dataclass
class Pages:
    """A server on both addresses; `hits` are own address and path of each request."""

    port: int = 0
    pages: dict[str, str] = field(default_factory=dict)
    hits: list[tuple[str, str]] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)

    def url(self, path: str = "/", host: str = PUBLIC) -> str:
        """An address of this site."""
        return f"http://{host}:{self.port}{path}"

    @property
    def inside(self) -> list[str]:
        """The paths that were asked for at the inside address."""
        return [path for address, path in self.hits if address == INSIDE]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Whatever the path says."""
        if request.path == "/favicon.ico":
            raise web.HTTPNotFound
        socket = request.transport.get_extra_info("sockname") if request.transport else ("",)
        self.hits.append((socket[0], request.path_qs))
        self.cookies.append(request.headers.get("Cookie", ""))
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._socket(request)
        if request.path == "/redirect":
            raise web.HTTPFound(request.query["to"])
        if request.path == "/file":
            headers = {"Content-Disposition": 'attachment; filename="../../etc/a b.csv"'}
            return web.Response(body=b"a,b\n1,2\n", headers=headers)
        if request.path == "/upload":
            data = await request.post()
            names = [part.filename for part in data.values() if isinstance(part, web.FileField)]
            return web.Response(text=f"<p>got {names}</p>", content_type="text/html")
        kind = "application/javascript" if request.path.endswith(".js") else "text/html"
        text = self.pages.get(request.path, "<title>Plain</title><h1>hello</h1>")
        text = text.replace("PORT", str(self.port))
        return web.Response(text=text, content_type=kind, charset="utf-8")

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await socket.send_str(f"echo {message.data}")
        return socket


class AgentBrowser:
    """Calls the tool as a worker does: from a loop in a thread of its own."""

    def __init__(self, workspace: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self.names = Names()
        self.pages = Pages()
        self.context = ToolContext(
            "main", "agent:main:main", workspace, Principal("p1", is_owner=True)
        )
        self.runner: web.AppRunner | None = None
        self.stated = BrowserDocument()
        self.settings()
        self._thread = threading.Thread(target=self._run, name="agent-browser", daemon=True)

    def settings(self, **more: Any) -> None:
        """The section `browser`: one address of this machine counts as public."""
        stated = {
            "noSandbox": True,
            "executablePath": CHROMIUM,
            "ssrfPolicy": {"allowedHostnames": [f"{PUBLIC}/32"]},
            **more,
        }
        self.stated = BrowserDocument.model_validate(stated)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the coroutine gives on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def result(
        self, *, session: str = "", signal: AbortSignal | None = None, **arguments: Any
    ) -> ToolResult:
        """The result of one call. Raises ToolError."""

        async def keep(_partial: ToolResult) -> None:
            return None

        tool = BrowserTool(lambda: self.stated)
        context = replace(self.context, session_key=session or self.context.session_key)
        signal = signal or AbortSignal()
        return self.run(tool.execute("call", arguments, context, signal, keep))

    def __call__(self, action: str, **arguments: Any) -> str:
        """The text of the result of one call."""
        return blocks_text(self.result(action=action, **arguments).content)

    def act(self, kind: str, **fields: Any) -> str:
        """The text of the result of an act."""
        return self("act", request={"kind": kind, **fields})

    def ref(self, line: str, **arguments: Any) -> str:
        """The ref of the element whose line in a new snapshot has this in it."""
        text = self("snapshot", **arguments)
        found = next((row for row in text.splitlines() if line in row), "")
        match = re.search(r"\[ref=(\w+)\]", found)
        assert match, f"{line!r} is not in {text}"
        return match[1]

    def picture(self, **arguments: Any) -> Image:
        """A screenshot."""
        result = self.result(action="screenshot", **arguments)
        return next(block for block in result.content if isinstance(block, Image))

    @property
    def engine(self) -> BrowserEngine:
        """The engine of the loop."""
        return _engines[self.loop]

    def start(self) -> None:
        """Starts loop and site."""
        self._thread.start()
        self.run(self._serve())

    def stop(self) -> None:
        """Ends everything."""
        self.run(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(PATIENCE)

    async def _serve(self) -> None:
        _engines[self.loop] = BrowserEngine(resolver=self.names)
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.pages.answer)
        self.runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self.runner.setup()
        first = web.TCPSite(self.runner, INSIDE, 0)
        await first.start()
        self.pages.port = self.runner.addresses[0][1]
        await web.TCPSite(self.runner, PUBLIC, self.pages.port).start()

    async def _end(self) -> None:
        await self.engine.close()
        assert self.runner is not None
        await self.runner.cleanup()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()


@contextmanager
def agent_browser(workspace: Path) -> Iterator[AgentBrowser]:
    """A running one."""
    browser = AgentBrowser(workspace)
    browser.start()
    try:
        yield browser
    finally:
        browser.stop()
