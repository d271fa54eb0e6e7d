"""The web process ends with manners: sockets hear 1012, running requests are answered."""

from __future__ import annotations

import os
import signal

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.platform.gateway import Gateway, wait_for


@pytest.mark.exhaustive
async def test_it_works(gateway: Gateway) -> None:
    """Several open sockets are closed with "service restart" and nothing crashes."""
    sockets = [await connect(gateway.ws_url) for _ in range(3)]
    for socket in sockets:
        await socket.recv()
    old = gateway.pid_of("web")
    assert old is not None
    os.kill(old, signal.SIGTERM)
    for socket in sockets:
        await socket.wait_closed()
        assert socket.close_code == 1012
    wait_for(lambda: gateway.pid_of("web") not in (None, old))
    gateway.wait_ready()
    assert "web    | ended (exit code 0); starts again in 0.5 s" in gateway.lines
    assert not [line for line in gateway.lines if "Traceback" in line]


async def test_unknown_socket_path_is_refused_before_the_upgrade(gateway: Gateway) -> None:
    """403 and no traceback."""
    with pytest.raises(InvalidStatus) as caught:
        await connect(f"{gateway.ws_url}/nowhere")
    assert caught.value.response.status_code == 403
    assert not [line for line in gateway.lines if "Traceback" in line]
