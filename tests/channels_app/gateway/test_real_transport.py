"""What only the real server shows: closes with code and reason, limits, backpressure."""

from __future__ import annotations

import asyncio
import http.client
from contextlib import suppress

import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Close

from tests.channels_app.gateway.params import connect_params
from tests.channels_app.gateway.ws_client import PATIENCE, connected
from tests.platform.gateway import Gateway

KEY = "agent:main:main"


async def test_it_works(gateway: Gateway) -> None:
    async with connected(gateway) as socket:
        assert (await socket.call("health"))["ok"] is True


@pytest.mark.parametrize("path", ["/nothing", "/wss"])
async def test_no_socket_at_other_paths(gateway: Gateway, path: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(gateway.ws_url + path)
    assert refused.value.response.status_code == http.client.FORBIDDEN


async def test_a_foreign_page_is_refused_at_the_upgrade(gateway: Gateway) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(gateway.ws_url, origin="http://evil.example")  # type: ignore[arg-type]
    assert refused.value.response.status_code == http.client.FORBIDDEN


async def test_a_wrong_token_closes_with_the_same_words(gateway: Gateway) -> None:
    async with connect(gateway.ws_url) as socket:
        await socket.recv()
        params = connect_params(auth={"token": "wrong"})
        frame = {"type": "req", "id": "1", "method": "connect", "params": params}
        await socket.send(orjson.dumps(frame).decode())
        answer = orjson.loads(await socket.recv())
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008
    assert closed.value.rcvd.reason == answer["error"]["message"]


async def _close_after(socket: ClientConnection, text: str) -> Close:
    """What the server closes with when it is sent `text`."""
    with suppress(ConnectionClosed):
        await socket.send(text)
        while True:
            await socket.recv()
    assert socket.protocol.close_rcvd is not None
    return socket.protocol.close_rcvd


@pytest.mark.parametrize("size", [70_000, 9_000_000])
async def test_large_frames_before_hello(gateway: Gateway, size: int) -> None:
    async with connect(gateway.ws_url) as socket:
        assert (await _close_after(socket, "x" * size)).code == 1009


async def test_a_frame_of_megabytes_after_hello(gateway: Gateway) -> None:
    async with connected(gateway) as socket:
        error = await socket.refusal("chat.history", {"sessionKey": "x" * 5_000_000})
        assert "at /sessionKey" in error["message"]
        assert (await _close_after(socket.connection, "x" * 9_000_000)).code == 1009


async def test_who_reads_nothing_is_given_up(gateway: Gateway) -> None:
    client = {"id": "openclaw-tui", "mode": "ui", "version": "1", "platform": "linux"}
    async with connected(gateway, client=client) as slow, connected(gateway) as other:
        await slow.ask(KEY, "help " + "x" * 100_000, "slow")
        params = {"sessionKey": KEY, "maxChars": 120_000}
        frame = {"type": "req", "id": "1", "method": "chat.history", "params": params}
        text = orjson.dumps(frame).decode()
        # The client library stops reading when nobody takes its frames.
        for _ in range(250):
            await slow.connection.send(text)
        for _ in range(int(PATIENCE / 0.05)):
            if len(await other.call("system-presence", {})) == 1:
                break
            await asyncio.sleep(0.05)
        with pytest.raises(ConnectionError):
            await slow.event("never")
