"""Fetches a page and makes readable text of it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agents.core.errors import ToolError
from agents.core.untrusted import one_line, visible, wrapped
from tools.net.fetch import Fetched, Fetcher, FetchLimits
from tools.net.hosts import Resolver, system_resolver
from tools.web.decode import body_decode, media_type
from tools.web.readable import Mode, Readable, page_read
from tools.web.settings import FetchSettings

SOURCE = "web_fetch"
_ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5"
# How much of what a server says about an error is told (runtime.md 4.4).
_ERROR_CHARS = 4_000
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
# Seconds for the readable text of a page that arrived.
_READING_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read. Texts are as a reader sees them: nothing of it may be trusted."""

    url: str
    status: int
    content_type: str
    text: str
    title: str
    extractor: str
    fetched_at: str
    cut: bool = False

    @property
    def warning(self) -> str:
        """What a reader should know, "" for nothing."""
        if self.cut:
            return "Only the beginning of the page was read: it is too large."
        return "" if self.text.strip() else "The page has no readable text."


async def page_fetch(
    url: str, *, mode: Mode, settings: FetchSettings, resolver: Resolver = system_resolver
) -> Page:
    """The readable text of the page at `url`, not shortened.

    Raises PolicyDenied for what must not be reached and ToolError for everything else; what the
    server said about an error is in it, marked as coming from outside.
    """
    fetcher = Fetcher(
        settings.ssrf_policy.network_policy(),
        FetchLimits(
            seconds=settings.timeout_seconds,
            bytes=settings.max_response_bytes,
            redirects=settings.max_redirects,
        ),
        headers={
            "user-agent": settings.user_agent,
            "accept": _ACCEPT,
            "accept-language": "en-US,en;q=0.9",
        },
        resolver=resolver,
    )
    fetched = await fetcher.fetch(url)
    kind = media_type(fetched.headers.get("content-type", ""))
    try:
        async with asyncio.timeout(_READING_SECONDS):
            read = await asyncio.to_thread(_read, fetched, kind, mode, settings.readability)
    except TimeoutError as error:
        raise ToolError("The page is too intricate: its text was not found in time.") from error
    return Page(
        url=str(fetched.url),
        status=fetched.status,
        content_type=kind or "unknown",
        text=read.text,
        title=read.title,
        extractor=read.extractor,
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        cut=fetched.cut,
    )


def _read(fetched: Fetched, kind: str, mode: Mode, readability: bool) -> Readable:
    header = fetched.headers.get("content-type", "")
    decoded = body_decode(fetched.body, header)
    if fetched.is_error:
        raise _server_error(fetched, "" if decoded is None else decoded[0], kind)
    if decoded is None or kind.startswith(("image/", "audio/", "video/", "font/")):
        what = kind or "of no stated type"
        raise ToolError(
            f"The page is no text: {what}, {len(fetched.body):,} bytes"
            f"{' or more' if fetched.cut else ''}. web_fetch reads HTML, Markdown, JSON and text."
        )
    found = _readable(decoded[0], str(fetched.url), kind, mode, readability)
    return replace(found, text=visible(found.text))


def _readable(text: str, url: str, kind: str, mode: Mode, readability: bool) -> Readable:
    if kind in _HTML or (kind in ("", "text/plain") and _looks_like_html(text)):
        return page_read(text, url=url, mode=mode, readability=readability)
    if kind == "application/json" or kind.endswith("+json"):
        return _json(text)
    return Readable(text, extractor="cf-markdown" if kind in _MARKDOWN else "raw")


def _json(text: str) -> Readable:
    try:
        value = json.loads(text)
        return Readable(json.dumps(value, indent=2, ensure_ascii=False), extractor="json")
    except (ValueError, RecursionError):
        return Readable(text, extractor="raw")


def _looks_like_html(text: str) -> bool:
    return text[:512].lstrip().lower().startswith(("<!doctype html", "<html"))


def _server_error(fetched: Fetched, text: str, kind: str) -> ToolError:
    if kind in _HTML:
        text = page_read(text, url=str(fetched.url), mode="text", readability=False).text
    said = f"The server answered with the error {fetched.status}."
    if text.strip():
        said += "\n" + wrapped(text[:_ERROR_CHARS], source=SOURCE)
    # Whoever wrote the page of an error wrote to the model as much as anybody else.
    mark = {"untrusted": True, "source": SOURCE, "wrapped": True}
    url = one_line(str(fetched.url), 2_000)
    return ToolError(said, details={"externalContent": mark, "finalUrl": url})
