"""Reads the address that a model, a page or a redirect names, in exactly one way. Pure.

Whatever could be read in two ways (backslashes, user names, odd hosts) is refused instead of
interpreted: the guard and the network must see the same host.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urljoin, urlsplit

import httpx

from agents.core.errors import ToolError
from tools.net.hostnames import host_read

# More than any server takes.
_LONGEST = 8_192
_CONTROL = re.compile(r"[\x00-\x20\x7f-\xa0\\]")


def url_read(text: str, *, base: httpx.URL | None = None) -> httpx.URL:
    """The address in `text`, absolute and normalised, without its fragment.

    With `base` it may be relative, as in a redirect. Raises ToolError that says what is wrong:
    only http and https, no user name or password, a host that can be read in one way only.
    """
    text = text.strip()
    if base is not None:
        text = urljoin(str(base), text)
    if not text or len(text) > _LONGEST:
        raise ToolError(f"url: must be 1 to {_LONGEST:,} characters, got {len(text):,}.")
    if _CONTROL.search(text):
        raise ToolError("url: must not have spaces, control characters or backslashes.")
    parts, port = _split(text)
    host = host_read(_host_text(parts))
    shown = f"[{host}]" if ":" in host else host
    target = parts.path or "/"
    query = f"?{parts.query}" if parts.query else ""
    try:
        url = httpx.URL(f"{parts.scheme}://{shown}{port}{target}{query}")
    except httpx.InvalidURL as error:
        raise ToolError(f"url: cannot be read: {error}.") from error
    if url_host(url) != host:
        raise ToolError("url: its host can be read in two ways.")
    return url


def url_host(url: httpx.URL) -> str:
    """The host of `url` as it goes over the wire: ASCII, without brackets."""
    return url.raw_host.decode("ascii").strip("[]")


def _split(text: str) -> tuple[SplitResult, str]:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise ToolError(f"url: cannot be read: {error}.") from error
    if parts.scheme not in ("http", "https"):
        given = f"not {parts.scheme}:" if parts.scheme else "but it has no scheme"
        raise ToolError(f"url: must begin with http:// or https://, {given}.")
    if "@" in parts.netloc:
        raise ToolError("url: must not have a user name or password (…@) before the host.")
    return parts, "" if port is None else f":{port}"


def _host_text(parts: SplitResult) -> str:
    netloc = parts.netloc
    if netloc.startswith("["):
        host, _bracket, rest = netloc.partition("]")
        if rest and not rest.startswith(":"):
            raise ToolError("url: cannot be read: something stands between host and port.")
        return f"{host}]"
    host = netloc.split(":", 1)[0]
    if not host:
        raise ToolError("url: has no host. Write it as https://example.org/page.")
    return host
