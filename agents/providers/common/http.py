"""The HTTP client under a vendor's library."""

from __future__ import annotations

from functools import cache
from ssl import SSLContext
from typing import Any

# Set explicitly: the libraries cap at 1,000 connections, and aiohttp at 100 when told "none";
# beyond a cap calls wait in silence.
MAX_CONNECTIONS = 5_000
KEEPALIVE_SECONDS = 30.0
CONNECT_SECONDS = 30.0


def http_client(library: Any) -> Any:
    """An asynchronous client for `library` (openai or anthropic) on the aiohttp transport.

    Read time is not limited here: `Watch` does that, per piece and together with the abort.
    """
    import httpx2

    limits = httpx2.Limits(
        max_connections=MAX_CONNECTIONS,
        max_keepalive_connections=MAX_CONNECTIONS,
        keepalive_expiry=KEEPALIVE_SECONDS,
    )
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    return library.DefaultAioHttpClient(limits=limits, timeout=timeout, verify=_certificates())


@cache
def _certificates() -> SSLContext:
    """Read once for all clients of the process, for reading takes tens of milliseconds."""
    import httpx2

    return httpx2.create_ssl_context()
