"""The actions of `browser` on the tabs of one session."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agents.core.errors import ToolError
from agents.core.tools import ToolResult
from tools.browser.acts import ACTS
from tools.browser.arguments import Arguments
from tools.browser.downloads import uploads_read
from tools.browser.elements import element_find
from tools.browser.failures import explained, soon
from tools.browser.pictures import screenshot
from tools.browser.results import plain_result, tab_result, tabs_result
from tools.browser.session import BrowserSession
from tools.browser.settings import BrowserDocument
from tools.browser.snapshot import (
    EFFICIENT_CHARS,
    EFFICIENT_DEPTH,
    MAX_CHARS,
    Shape,
    snapshot_shape,
)
from tools.browser.tab import Answer, Tab
from tools.net.hosts import host_addresses
from tools.net.urls import url_host, url_read
from tools.workspace.files import write_file

if TYPE_CHECKING:
    from playwright.async_api import Locator

BLANK = "about:blank"
# Where a tab may be: what a page can do to itself, and Chromium's own page for failures.
_ALLOWED = frozenset({"http", "https", "about", "blob", "chrome-error"})
_PORTS = {"http": 80, "https": 443}
_CONSOLE_LINES = 50
_LOAD_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Work:
    """One call: where, what, under which settings."""

    session: BrowserSession
    arguments: Arguments
    settings: BrowserDocument
    workspace: Path

    def tab(self) -> Tab:
        """The tab that is meant. Raises ToolError."""
        return self.session.tab(self.arguments.text("targetId"))

    async def element(self, tab: Tab, *names: str) -> Locator | None:
        """The element that is meant, None for the whole page. Raises ToolError."""
        selector = next((self.arguments.text(n) for n in names if self.arguments.text(n)), "")
        ref = self.arguments.text("ref")
        return await element_find(tab.page, ref, selector) if ref or selector else None


async def action_run(work: Work) -> ToolResult:
    """Does what a call asks for. Raises ToolError."""
    return await _ACTIONS[work.arguments.action](work)


async def _tabs(work: Work) -> ToolResult:
    return await tabs_result(work.session)


async def _open(work: Work) -> ToolResult:
    url = await _checked(work, work.arguments.text("url", BLANK))
    tab = await work.session.tab_new(work.arguments.text("label")[:40])
    tab.told = True
    return await _go(work, tab, url)


async def _navigate(work: Work) -> ToolResult:
    url = await _checked(work, work.arguments.needed("url"))
    has_one = work.session.tabs or work.arguments.text("targetId")
    tab = work.tab() if has_one else await work.session.tab_new()
    tab.told = True
    return await _go(work, tab, url)


async def _checked(work: Work, text: str) -> str:
    """The address when it may be opened: the proxy would refuse it too, but say less."""
    if text == BLANK:
        return text
    url = url_read(text)
    host, policy = url_host(url), work.session.proxy.policy
    port = url.port or _PORTS[url.scheme]
    await host_addresses(host, port, policy=policy, resolver=work.session.proxy.resolver)
    fragment = urlsplit(text.strip()).fragment
    return f"{url}#{fragment}" if fragment else str(url)


async def _go(work: Work, tab: Tab, url: str) -> ToolResult:
    from playwright.async_api import Error

    work.session.current = tab.id
    status = 0
    with explained("The page could not be opened", shown=False):
        try:
            answer = await tab.page.goto(
                url, timeout=work.arguments.timeout, wait_until="domcontentloaded"
            )
            status = answer.status if answer is not None else 0
        except Error as error:
            if "Download is starting" not in str(error):
                raise
    # Some pages never end to load; what is there can be used.
    await soon(tab.page.wait_for_load_state("load"), None, seconds=_LOAD_SECONDS)
    await leave_forbidden(tab)
    said = f"Opened in tab {tab.id}" + (f", status {status}." if status else ".")
    return await tab_result(
        work.session, tab, said, action=work.arguments.action, status=status or None
    )


async def leave_forbidden(tab: Tab) -> None:
    """Empties a tab that shows what no page of the web is. Raises ToolError then."""
    scheme = tab.page.url.partition(":")[0].lower()
    if scheme in _ALLOWED:
        return
    await soon(tab.page.goto(BLANK), None)
    raise ToolError(f"The tab was emptied: pages of {scheme[:20]!r} are not shown.")


async def _focus(work: Work) -> ToolResult:
    work.arguments.needed("targetId")
    tab = work.tab()
    work.session.current = tab.id
    with explained("The tab could not be shown"):
        await tab.page.bring_to_front()
    return await tab_result(work.session, tab, f"Tab {tab.id} is the current one.", action="focus")


async def _close(work: Work) -> ToolResult:
    tab = work.tab()
    await work.session.tab_close(tab)
    return plain_result(f"Closed tab {tab.id}.", action="close", targetId=tab.id)


async def _snapshot(work: Work) -> ToolResult:
    arguments, tab = work.arguments, work.tab()
    shape, is_ai = snapshot_settings(arguments, work.settings)
    frame, part = arguments.text("frame"), await work.element(tab, "selector", "element")
    with explained("The page could not be read"):
        if frame:
            part = tab.page.frame_locator(f"css={frame}").locator("body")
        tree = await (part or tab.page).aria_snapshot(
            mode="ai" if is_ai else "default", timeout=arguments.timeout
        )
    shaped = snapshot_shape(tree, shape)
    said = f"Tab {tab.id}: {shaped.refs} elements can be named by ref."
    if shaped.cut:
        said += " The rest is cut off; use selector, interactive, depth or maxChars."
    return await tab_result(
        work.session, tab, said, body=shaped.text, action="snapshot", refs=shaped.refs,
        truncated=shaped.cut, format="ai" if is_ai else "aria",
    )  # fmt: skip


def snapshot_settings(arguments: Arguments, settings: BrowserDocument) -> tuple[Shape, bool]:
    """What a snapshot is to show, and whether it is one with refs. Raises ToolError."""
    is_ai = arguments.text("snapshotFormat", "ai") == "ai"
    stated = arguments.text("mode") or settings.snapshot_defaults.mode or ""
    short = stated == "efficient" and is_ai
    chars = arguments.number("maxChars", EFFICIENT_CHARS if short else MAX_CHARS)
    return Shape(
        chars=min(chars, MAX_CHARS),
        depth=arguments.number("depth", EFFICIENT_DEPTH if short else 0),
        interactive=arguments.flag("interactive"),
        compact=arguments.flag("compact") or short,
        urls=arguments.flag("urls"),
    ), is_ai


async def _screenshot(work: Work) -> ToolResult:
    tab, format = work.tab(), work.arguments.text("type", "png")
    element = await work.element(tab, "element", "selector")
    full = work.arguments.flag("fullPage")
    with explained("The picture could not be taken"):
        image, area = await screenshot(
            tab.page, format="jpeg" if format == "jpeg" else "png", full=full, element=element
        )
    said = f"Picture of tab {tab.id}: {area.width:.0f} x {area.height:.0f} pixels of the page"
    said += f", made smaller by {area.scale:.2f}." if area.scale < 1 else "."
    return await tab_result(
        work.session, tab, said, images=[image], action="screenshot", type=image.mime_type
    )


async def _console(work: Work) -> ToolResult:
    tab, level = work.tab(), work.arguments.text("level")
    limit = work.arguments.number("limit", _CONSOLE_LINES)
    lines = [line for line in tab.console if not level or line.level == level][-limit:]
    body = "\n".join(f"[{line.level}] {line.text}" for line in lines)
    said = f"{len(lines)} lines of the console of tab {tab.id}."
    return await tab_result(work.session, tab, said, body=body, action="console", count=len(lines))


async def _pdf(work: Work) -> ToolResult:
    tab = work.tab()
    if not work.settings.headless:
        raise ToolError("pdf works only with a browser without windows (browser.headless).")
    with explained("The page could not be printed"):
        data = await tab.page.pdf(print_background=True)
    path = f"downloads/page-{secrets.token_hex(4)}.pdf"
    shown, _new = await asyncio.to_thread(write_file, work.workspace, path, data)
    said = f"Wrote {shown} ({len(data):,} bytes)."
    return await tab_result(work.session, tab, said, action="pdf", path=shown, bytes=len(data))


async def _upload(work: Work) -> ToolResult:
    arguments, tab = work.arguments, work.tab()
    paths = arguments.texts("paths")
    if not paths:
        raise ToolError("paths: name at least one file of the workspace.")
    files = await asyncio.to_thread(uploads_read, work.workspace, paths)
    if arguments.text("inputRef"):
        field = await element_find(tab.page, arguments.text("inputRef"), name="inputRef")
        with explained("The files were not taken"):
            await field.set_input_files(files, timeout=arguments.timeout)  # type: ignore[arg-type]
    else:
        button = await work.element(tab, "element", "selector")
        if button is None:
            raise ToolError("upload needs inputRef (the file field) or ref (what opens it).")
        with explained("The files were not taken"):
            async with tab.page.expect_file_chooser(timeout=arguments.timeout) as chooser:
                await button.click(timeout=arguments.timeout)
            await (await chooser.value).set_files(files)  # type: ignore[arg-type]
    said = f"Gave {len(files)} files to the page."
    return await tab_result(work.session, tab, said, action="upload", count=len(files))


async def _dialog(work: Work) -> ToolResult:
    tab = work.tab()
    accept = work.arguments.flag("accept")
    tab.answer = Answer(accept, work.arguments.text("promptText"))
    verb = "accepted" if accept else "dismissed"
    return plain_result(
        f"The next dialog of tab {tab.id} will be {verb}. Now do what opens it.",
        action="dialog", targetId=tab.id,
    )  # fmt: skip


async def _act(work: Work) -> ToolResult:
    arguments, tab = work.arguments, work.tab()
    kind = arguments.text("kind")
    if kind == "close":
        return await _close(work)
    if kind == "evaluate" and not work.settings.evaluate_enabled:
        raise ToolError("act evaluate is switched off (browser.evaluateEnabled).")
    with explained(f"act {kind}"):
        said = await ACTS[kind](tab, arguments)
        # What was done may have begun to open another page.
        await soon(tab.page.wait_for_load_state("domcontentloaded"), None)
    if tab.page.is_closed():
        return plain_result("Done. The tab closed itself.", action="act", kind=kind)
    await leave_forbidden(tab)
    if kind != "evaluate":
        return await tab_result(work.session, tab, f"Done: {said}.", action="act", kind=kind)
    most = min(arguments.number("maxChars", MAX_CHARS), MAX_CHARS)
    body = said[:most]
    return await tab_result(
        work.session, tab, "Done. What the function gave:", body=body, action="act", kind=kind
    )


_ACTIONS: Mapping[str, Callable[[Work], Awaitable[ToolResult]]] = {
    "tabs": _tabs,
    "open": _open,
    "navigate": _navigate,
    "focus": _focus,
    "close": _close,
    "snapshot": _snapshot,
    "screenshot": _screenshot,
    "console": _console,
    "pdf": _pdf,
    "upload": _upload,
    "dialog": _dialog,
    "act": _act,
}
