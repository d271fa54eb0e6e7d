"""Reads names and addresses of hosts in exactly one way. Pure.

Whatever could be read in two ways (numbers in place of dotted addresses, escapes, zones) is
refused instead of interpreted: the guard and the network must see the same host.
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import idna

from agents.core.errors import ToolError

# RFC 3490: what is written as a dot in other scripts.
_DOTS = str.maketrans(dict.fromkeys("\u3002\uff0e\uff61", "."))
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\Z")
# WHATWG: a host whose last part is a number is an IPv4 address or nothing.
_NUMBER = re.compile(r"(\d+|0x[0-9a-f]*)\Z")


def host_read(text: str) -> str:
    """The name or address in `text` as one canonical spelling: lower case, ASCII, no last dot.

    Full-width letters and digits and other dots are what they look like. Raises ToolError.
    """
    if text.startswith("["):
        return _ipv6(text)
    host = unicodedata.normalize("NFKC", text).translate(_DOTS).lower().removesuffix(".")
    if not host.isascii() or "xn--" in host:
        try:
            host = idna.encode(host, uts46=True).decode("ascii").lower().removesuffix(".")
        except (idna.IDNAError, UnicodeError) as error:
            raise ToolError(f"url: {text[:80]!r} is no name of a host: {error}.") from error
    labels = host.split(".")
    if len(host) > 253 or not all(map(_LABEL.match, labels)):
        raise ToolError(f"url: {text[:80]!r} is no name of a host.")
    return _ipv4(host) if _NUMBER.match(labels[-1]) else host


def _ipv6(text: str) -> str:
    if "%" in text:
        raise ToolError("url: an address must not have a zone (%…).")
    try:
        return IPv6Address(text.strip("[]")).compressed
    except AddressValueError as error:
        raise ToolError(f"url: {text[:80]!r} is no IPv6 address: {error}.") from error


def _ipv4(host: str) -> str:
    try:
        return str(IPv4Address(host))
    except AddressValueError as error:
        raise ToolError(
            f"url: {host[:80]!r} is no plain IPv4 address; write four decimal numbers."
        ) from error
