"""Which addresses are not the public internet, and why. Pure.

The kinds follow the special-purpose registries of the IANA (RFC 6890 and what came after it).
An IPv6 address that carries an IPv4 address is judged by that one too.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from tools.net.policy import INSIDE_KINDS, Address, Network, NetworkPolicy

_V4_KINDS: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "unspecified"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared"),
    ("127.0.0.0/8", "loopback"),
    # Azure's machines reach their platform's own service at this one public address.
    ("168.63.129.16/32", "cloud platform"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "reserved"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmark"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("255.255.255.255/32", "broadcast"),
    ("240.0.0.0/4", "reserved"),
)
_V6_KINDS: tuple[tuple[str, str], ...] = (
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("100::/64", "discard"),
    ("64:ff9b:1::/48", "translation"),
    ("2001::/32", "Teredo"),
    ("2001:2::/48", "benchmark"),
    ("2001:10::/28", "ORCHID"),
    ("2001:20::/28", "ORCHID"),
    ("2001::/23", "reserved"),
    ("2001:db8::/32", "documentation"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "reserved"),
    ("fc00::/7", "unique local"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)
_V4: tuple[tuple[Network, str], ...] = tuple((IPv4Network(n), kind) for n, kind in _V4_KINDS)
_V6: tuple[tuple[Network, str], ...] = tuple((IPv6Network(n), kind) for n, kind in _V6_KINDS)

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")
# RFC 5214: the interface identifier of ISATAP, with and without the universal bit.
_ISATAP = (0x00005EFE, 0x02005EFE)
_LOW_32 = 0xFFFFFFFF


def address_kind(address: Address) -> str:
    """The kind of special address that `address` itself is, "" for a public one.

    What an IPv6 address carries is not looked at, see `embedded_addresses`.
    """
    table = _V4 if isinstance(address, IPv4Address) else _V6
    for network, kind in table:
        if address in network:
            return kind
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return "" if _carries_only(address) else "reserved"
    return ""


def embedded_addresses(address: Address) -> Iterator[IPv4Address]:
    """Every IPv4 address that a network may take out of `address` on its way.

    Mapped and compatible forms, NAT64, 6to4, Teredo (server and client) and ISATAP.
    """
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address in _NAT64 or (address in _COMPATIBLE and number > 1):
        yield IPv4Address(number & _LOW_32)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if (number >> 32) & _LOW_32 in _ISATAP:
        yield IPv4Address(number & _LOW_32)


def address_problem(address: Address, policy: NetworkPolicy, *, trusted: bool = False) -> str:
    """Why `address` must not be connected to ("loopback", …), "" when it may.

    `trusted` says that the name it belongs to was named as one with inside addresses.
    """
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return "scoped"
    for judged in (address, *embedded_addresses(address)):
        kind = address_kind(judged)
        if kind and not policy.lists(judged) and not _is_open(kind, policy, trusted):
            return kind
    return ""


def address_read(text: str) -> Address | None:
    """The address that `text` is as resolvers write it, a zone included; None otherwise."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def _is_open(kind: str, policy: NetworkPolicy, trusted: bool) -> bool:
    return kind in policy.open_kinds or (trusted and kind in INSIDE_KINDS)


def _carries_only(address: IPv6Address) -> bool:
    """Whether `address` stands for an IPv4 address, which then decides alone."""
    return address.ipv4_mapped is not None or address in _NAT64
