"""Reads what a browser asks its proxy for. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.core.errors import ToolError
from tools.net.hostnames import host_read
from tools.net.urls import url_host, url_read

_REQUEST = re.compile(r"([A-Z]{1,20}) (\S{1,65536}) HTTP/1\.[01]\Z")
_TUNNEL = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:/@?#\s]+):(\d{1,5})\Z")
_ABSOLUTE = re.compile(r"http://([^/?#]+)([^#]*)\Z", re.IGNORECASE)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\x00\r\n]*\Z")
# What is between a browser and its proxy only, and what would make a connection serve twice.
_DROPPED = frozenset({
    "connection", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer",
    "upgrade", "host",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """Where to connect. Without a `tunnel` the bytes of `head` and `length` more are sent there."""

    host: str
    port: int
    tunnel: bool
    head: bytes = b""
    length: int = 0


def request_read(head: bytes) -> ProxyRequest:
    """What the head of a request, up to its empty line, asks for.

    Raises ToolError for anything that could be read in two ways.
    """
    lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    match = _REQUEST.match(lines[0])
    if match is None or not all(_HEADER.match(line) for line in lines[1:]):
        raise ToolError("The request cannot be read.")
    method, target = match.groups()
    return _tunnel(target) if method == "CONNECT" else _plain(method, target, lines[1:])


def _tunnel(target: str) -> ProxyRequest:
    match = _TUNNEL.match(target)
    if match is None:
        raise ToolError(f"The target {target[:80]!r} is no host with a port.")
    return ProxyRequest(host_read(match[1]), _port(int(match[2])), tunnel=True)


def _plain(method: str, target: str, headers: list[str]) -> ProxyRequest:
    match = _ABSOLUTE.match(target)
    if match is None:
        raise ToolError("Only http:// is asked for without a tunnel.")
    url = url_read(f"http://{match[1]}/")
    # Path and query go on byte for byte: some are signed.
    path = match[2] if match[2].startswith("/") else f"/{match[2]}"
    kept = [line for line in headers if _name(line) not in _DROPPED]
    lines = [f"{method} {path} HTTP/1.1", f"Host: {url.netloc.decode('ascii')}", *kept]
    head = "\r\n".join([*lines, "Connection: close", "", ""])
    port = _port(url.port if url.port is not None else 80)
    return ProxyRequest(url_host(url), port, False, head.encode("latin-1"), _length(headers))


def _length(headers: list[str]) -> int:
    if any(_name(line) == "transfer-encoding" for line in headers):
        raise ToolError("A body of unknown length is not forwarded.")
    lengths = {line.split(":", 1)[1].strip() for line in headers if _name(line) == "content-length"}
    if not lengths:
        return 0
    (length, *others) = lengths
    if others or not length.isascii() or not length.isdigit():
        raise ToolError("The length of the body cannot be read.")
    return int(length)


def _name(line: str) -> str:
    return line.split(":", 1)[0].lower()


def _port(port: int) -> int:
    if not 0 < port < 65_536:
        raise ToolError(f"{port} is no port.")
    return port
