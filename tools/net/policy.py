"""What an administrator opens to the requests of tools beyond the public internet. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# The kinds of addresses that inside networks use. Link-local is not among them: there the
# metadata services of clouds give out credentials.
INSIDE_KINDS = frozenset({"loopback", "private", "shared", "unique local"})


@dataclass(frozen=True, slots=True)
class NetworkPolicy:
    """Which addresses and names may be reached. Without arguments: public ones only.

    `open_kinds` are kinds of addresses (see tools.net.addresses) that count as public,
    `networks` are reached whatever their kind. `names` (exact, or "*.example.org" for everything
    below it) may have inside addresses. Where `only` is not empty, no other names and addresses
    may be asked for at all. `key` is where an administrator finds all this.
    """

    open_kinds: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    names: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    key: str = "tools.web.fetch.ssrfPolicy"

    def lists(self, address: Address) -> bool:
        """Whether an administrator named a network with `address` in it."""
        return any(
            address.version == network.version and address in network for network in self.networks
        )

    def names_host(self, host: str) -> bool:
        """Whether `host` was named as one that may have inside addresses."""
        return any(host_matches(host, pattern) for pattern in self.names)

    def permits_host(self, host: str) -> bool:
        """Whether `host` may be asked for, as far as its name goes."""
        return not self.only or any(host_matches(host, pattern) for pattern in self.only)


PUBLIC = NetworkPolicy()


def host_matches(host: str, pattern: str) -> bool:
    """Whether `pattern` means `host`. "*.example.org" does not mean example.org itself, a network
    such as "10.0.0.0/8" means the addresses in it."""
    if "/" in pattern:
        network, address = network_read(pattern), network_read(host)
        return network is not None and address is not None and _holds(network, address)
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and len(host) > len(pattern) - 1
    return host == pattern


def _holds(network: Network, address: Network) -> bool:
    if isinstance(network, IPv4Network):
        return isinstance(address, IPv4Network) and address.subnet_of(network)
    return isinstance(address, IPv6Network) and address.subnet_of(network)


def network_read(text: str) -> Network | None:
    """The network or single address that `text` is, None when it is a name.

    Bits behind the prefix are ignored: 10.1.2.3/8 is 10.0.0.0/8.
    """
    try:
        return ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return None
