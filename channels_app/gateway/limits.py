"""The numbers that a socket lives by. Most are told to the client in hello-ok's `policy`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are bytes of UTF-8, times are seconds unless the name says otherwise.

    Defaults: gateway.md 1.1 for the handshake and the tick; design 12 for `max_payload`, which
    the server in front must be started with as well.
    """

    max_payload: int = 8 * 1024 * 1024
    max_preauth_payload: int = 65_536
    # A client that reads nothing is given up when so much waits for it.
    max_buffered: int = 16 * 1024 * 1024
    tick_interval_ms: int = 30_000
    handshake_seconds: float = 15.0
    # Enough for a hundred clients that reconnect at once, small enough to bound memory.
    unauthenticated_per_address: int = 256
    requests_in_flight: int = 256
    unauthorized_in_a_row: int = 10
    attachment_bytes: int = 20 * 1024 * 1024
    attachment_image_bytes: int = 6 * 1024 * 1024


LIMITS = Limits()
