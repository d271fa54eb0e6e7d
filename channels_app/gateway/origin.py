"""Where an upgrade comes from: which pages may open a socket, and who is on this machine. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from django.http.request import split_domain_port, validate_host

_DEFAULT_PORTS = {"http": "80", "https": "443"}
# Set by proxies: the peer's address is then the proxy's and says nothing about the client.
_FORWARDED = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})


def headers_of(raw: Iterable[Sequence[bytes]]) -> dict[str, str]:
    """ASGI headers by lower-case name. A repeated name is joined, so that it matches nothing."""
    found: dict[str, str] = {}
    for name, value in raw:
        key, text = bytes(name).decode("latin-1").lower(), bytes(value).decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def origin_allowed(
    headers: Mapping[str, str], *, allowed_hosts: list[str], trusted_origins: Iterable[str]
) -> bool:
    """Whether the page that opens this socket is one of ours.

    No Origin at all is allowed here: only programs send none, and they must bring a secret.
    """
    origin = headers.get("origin")
    if origin is None:
        return True
    if origin in trusted_origins:
        return True
    page, served = _endpoint(origin), _served(headers.get("host", ""), origin)
    if page is None or page != served:
        return False
    # A foreign name that was made to point at this machine is not our own page.
    host, _port = split_domain_port(headers["host"])
    return validate_host(host, allowed_hosts)


def is_local(client: Sequence[object] | None, headers: Mapping[str, str]) -> bool:
    """Whether the other end is certainly a program of this machine."""
    if client is None or _FORWARDED & headers.keys():
        return False
    host, _port = split_domain_port(headers.get("host", ""))
    try:
        peer_is_loopback = ipaddress.ip_address(str(client[0])).is_loopback
    except ValueError:
        return False
    return peer_is_loopback and validate_host(host, ["localhost", "127.0.0.1", "[::1]"])


def _endpoint(origin: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None:
        return None
    if parts.path or parts.query or parts.fragment:
        return None
    return parts.hostname.lower(), str(port or _DEFAULT_PORTS[parts.scheme])


def _served(host: str, origin: str) -> tuple[str, str] | None:
    scheme = origin.partition(":")[0].lower()
    name, port = split_domain_port(host)
    if not name:
        return None
    return name.strip("[]").lower(), port or _DEFAULT_PORTS.get(scheme, "")
