"""Before a socket said who it is: one small frame, soon, and not too many sockets at once."""

from __future__ import annotations

import pytest

from tests.channels_app.gateway.asgi_client import Refused
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.params import connect_params


async def test_it_works(door: Door) -> None:
    socket = await door.open()
    assert set(socket.challenge) == {"nonce", "ts"}
    assert (await socket.call("connect", connect_params()))["type"] == "hello-ok"


async def test_the_first_request_must_be_connect(door: Door) -> None:
    socket = await door.open()
    error = await socket.refusal("health")
    text = "invalid handshake: first request must be connect"
    assert (error["code"], error["message"]) == ("INVALID_REQUEST", text)
    assert await socket.closed() == (1008, text)


@pytest.mark.parametrize("text", ["", "hello", "[]", "{", "null", "\x00"])
async def test_what_is_no_request_closes(door: Door, text: str) -> None:
    socket = await door.open()
    await socket.send(text)
    assert (await socket.closed())[0] == 1008


async def test_a_second_connect(door: Door) -> None:
    socket = await door.connect()
    error = await socket.refusal("connect", connect_params())
    assert error["message"] == "connect is only valid as the first request"


@pytest.mark.parametrize("letter", ["x", "ü"])
async def test_large_frames_before_hello(door: Door, letter: str) -> None:
    socket = await door.open()
    size = len(letter.encode())
    await socket.send(letter * (65_536 // size + 1))
    assert await socket.closed() == (1009, "preauth payload too large")


async def test_the_largest_allowed_frame_is_read(door: Door) -> None:
    socket = await door.open()
    params = connect_params(userAgent="u" * 1000, pathEnv="p" * 16_000)
    assert (await socket.call("connect", params))["type"] == "hello-ok"


async def test_silence_is_closed(door: Door) -> None:
    door.limit(handshake_seconds=0.05)
    socket = await door.open()
    assert await socket.closed() == (1008, "handshake timeout")


async def test_too_many_silent_sockets(door: Door) -> None:
    door.limit(unauthenticated_per_address=2)
    first, _second = await door.open(), await door.open()
    with pytest.raises(Refused):
        await door.open()
    # Another address is not concerned, and who says hello makes room.
    await door.open(client="203.0.113.7")
    await first.call("connect", connect_params())
    await door.open()


UNKNOWN = [
    ({"bogus": 1}, "at root: unexpected property 'bogus'"),
    (
        {"client": {"id": "nonsense", "version": "1", "platform": "x", "mode": "cli"}},
        "at /client/id: must be equal to one of the allowed values",
    ),
    (
        {"client": {"id": "cli", "version": "1", "platform": "x"}},
        "at /client: must have required property 'mode'",
    ),
    ({"minProtocol": "4"}, "at /minProtocol: must be integer"),
    ({"caps": "all"}, "at /caps: must be array"),
]


@pytest.mark.parametrize(("change", "text"), UNKNOWN)
async def test_bad_connect_params(door: Door, change: dict[str, object], text: str) -> None:
    socket = await door.open()
    error = await socket.refusal("connect", connect_params(**change))
    assert error["message"] == f"invalid connect params: {text}"
    assert await socket.closed() == (1008, f"invalid connect params: {text}")
