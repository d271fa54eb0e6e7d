"""Whether a service stands close by, as its address says it."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from urllib.parse import urlsplit

# RFC 6598: addresses behind a carrier's or a mesh network's translation.
_SHARED = ipaddress.ip_network("100.64.0.0/10")
_NEAR_NAMES = (".local", ".localhost", ".internal", ".lan", ".home.arpa")


@lru_cache(maxsize=256)
def address_is_near(base_url: str) -> bool:
    """Whether an address is on this machine or in a private network, by its name alone.

    Loopback, RFC 1918, shared (RFC 6598), unique local, link-local, `.local` and names without
    a dot. Nothing is looked up; an address that cannot be read is far.
    """
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host != "" and ("." not in host or host.endswith(_NEAR_NAMES))
    return address.is_private or (address.version == 4 and address in _SHARED)
