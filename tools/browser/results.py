"""What a call of `browser` gives back: what a page said stands in a block of outside content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.core.messages import Image, Text
from agents.core.tools import ToolResult
from agents.core.untrusted import one_line, wrapped
from tools.browser.failures import soon
from tools.browser.session import BrowserSession
from tools.browser.tab import Tab

SOURCE = "browser"
_OUTSIDE: Mapping[str, Any] = {"untrusted": True, "source": SOURCE, "wrapped": True}
_URL_CHARS = 2_000
# Refused hosts that a result names.
_REFUSED = 5


def plain_result(text: str, **details: Any) -> ToolResult:
    """A result in which no page has a share."""
    return ToolResult((Text(text),), details=details)


async def tab_result(
    session: BrowserSession,
    tab: Tab,
    said: str,
    *,
    body: str = "",
    images: Sequence[Image] = (),
    **details: Any,
) -> ToolResult:
    """What was done (`said`, our own words) and the state of the tab; `body` is the page's."""
    about = {
        "Title": await soon(tab.page.title(), ""),
        "URL": one_line(tab.page.url, _URL_CHARS),
    }
    news = await _news(session, tab)
    block = wrapped("\n".join([*news, *([body] if body else [])]), source=SOURCE, about=about)
    facts = {
        "action": details.pop("action", ""),
        "targetId": tab.id,
        "url": about["URL"],
        "externalContent": dict(_OUTSIDE),
        **details,
    }
    return ToolResult((Text(f"{said}\n\n{block}"), *images), details=facts)


async def tabs_result(session: BrowserSession) -> ToolResult:
    """All tabs of the session."""
    lines = []
    for tab in list(session.tabs.values()):
        title = one_line(await soon(tab.page.title(), ""), 200)
        mark = "*" if tab.id == session.current else " "
        label = f" ({tab.label})" if tab.label else ""
        lines.append(f"{mark} {tab.id}{label} {title!r} {one_line(tab.page.url, _URL_CHARS)}")
    said = f"{len(lines)} tabs; * is the current one."
    block = wrapped("\n".join(lines), source=SOURCE)
    facts = {"action": "tabs", "count": len(lines), "externalContent": dict(_OUTSIDE)}
    return ToolResult((Text(f"{said}\n\n{block}" if lines else "No tab is open."),), details=facts)


async def _news(session: BrowserSession, tab: Tab) -> list[str]:
    """What happened beside what was asked for."""
    lines = [f"Dialog: {dialog}" for dialog in tab.dialogs_take()]
    lines += [f"File: {file}" for file in await session.downloads.take()]
    refused = list(dict(session.proxy.refused).items())
    session.proxy.refused.clear()
    lines += [f"Not reached: {one_line(reason, 300)}" for _host, reason in refused[:_REFUSED]]
    if len(refused) > _REFUSED:
        lines.append(f"Not reached: {len(refused) - _REFUSED} more hosts.")
    lines += [
        f"Opened: tab {other.id}"
        for other in session.tabs.values()
        if other is not tab and not other.told
    ]
    for other in session.tabs.values():
        other.told = True
    return lines
