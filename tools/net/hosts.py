"""Resolves a host once and says to which of its addresses a request may go."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence

from agents.core.errors import PolicyDenied, ToolError
from tools.net.addresses import address_problem, address_read
from tools.net.policy import INSIDE_KINDS, Address, NetworkPolicy, host_matches

# Gives the addresses of a name, most preferred first. Raises OSError when there are none.
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

# Names that mean this machine, its network or its cloud, whatever they resolve to.
_INSIDE_NAMES = (
    "localhost",
    "*.localhost",
    "localhost.localdomain",
    "*.local",
    "*.internal",
)


async def system_resolver(host: str, port: int) -> list[str]:
    """What the operating system says. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def host_addresses(
    host: str, port: int, *, policy: NetworkPolicy, resolver: Resolver = system_resolver
) -> list[Address]:
    """The addresses of `host` that a request may go to, after one look-up.

    `host` is canonical, see `tools.net.hostnames.host_read`. Raises PolicyDenied, naming the rule,
    when the name or any single one of its addresses is not allowed; ToolError when it has none.
    """
    trusted = name_check(host, policy)
    literal = address_read(host)
    found = [host] if literal is not None else await _resolved(host, port, resolver)
    addresses = []
    for text in found:
        address = address_read(text)
        problem = "unreadable" if address is None else ""
        if address is not None:
            problem = address_problem(address, policy, trusted=trusted)
            addresses.append(address)
        if problem:
            raise _denied(host, problem, policy, "" if literal is not None else f" ({text})")
    if not addresses:
        raise ToolError(f"url: the name {host[:80]!r} has no address.")
    return addresses


def name_check(host: str, policy: NetworkPolicy) -> bool:
    """Whether an administrator named `host`. Raises PolicyDenied when it may not be asked for."""
    if not policy.permits_host(host):
        raise PolicyDenied(
            f"Denied by the rule 'hostname allow list': {host[:80]!r} is not among the hosts that "
            f"an administrator allows ({policy.key}.hostnameAllowlist)."
        )
    trusted = policy.names_host(host)
    inside = any(host_matches(host, pattern) for pattern in _INSIDE_NAMES)
    if inside and not trusted and not policy.open_kinds >= INSIDE_KINDS:
        raise _denied(host, "inside name", policy)
    return trusted


async def _resolved(host: str, port: int, resolver: Resolver) -> Sequence[str]:
    try:
        return await resolver(host, port)
    except (OSError, UnicodeError) as error:
        raise ToolError(f"url: the name {host[:80]!r} was not found ({error}).") from error


def _denied(host: str, kind: str, policy: NetworkPolicy, address: str = "") -> PolicyDenied:
    return PolicyDenied(
        f"Denied by the rule 'public addresses only': {host[:80]!r}{address} is no address of the "
        f"public internet ({kind}). An administrator can allow a host or network: "
        f"{policy.key}.allowedHostnames."
    )
