"""Which pages may open a socket: our own, and no other."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from channels_app.gateway.origin import origin_allowed
from channels_app.routing import websocket_application
from tests.channels_app.gateway.asgi_client import Refused
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.params import HOST

FOREIGN = [
    "http://evil.example",
    "null",
    "http://127.0.0.1:1",
    "http://127.0.0.1",
    "http://localhost:18789",
    "https://127.0.0.1:18789.evil.example",
    "http://127.0.0.1:18789/path",
    "http://user@127.0.0.1:18789",
    "file://",
    "chrome-extension://abcdef",
    "",
    "http://[",
]


async def test_it_works(door: Door) -> None:
    socket = await door.connect(origin=f"http://{HOST}")
    assert socket.hello["type"] == "hello-ok"


@pytest.mark.parametrize("origin", FOREIGN)
async def test_foreign_origins_are_refused(door: Door, origin: str) -> None:
    with pytest.raises(Refused):
        await door.open(origin=origin)


async def test_no_origin_is_a_program(door: Door) -> None:
    assert (await door.connect()).hello["protocol"] == 4


async def test_two_origins_are_none(door: Door) -> None:
    with pytest.raises(Refused):
        await door.open(origin=f"http://{HOST}, http://evil.example")


async def test_the_public_address_is_trusted(door: Door, settings: Settings) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://claw.example"]
    await door.open(origin="https://claw.example")


def test_a_name_that_was_made_to_point_here_is_refused() -> None:
    headers = {"origin": "http://evil.example:18789", "host": "evil.example:18789"}
    hosts = ["localhost", "127.0.0.1", "[::1]"]
    assert not origin_allowed(headers, allowed_hosts=hosts, trusted_origins=[])
    assert origin_allowed(headers, allowed_hosts=[*hosts, "evil.example"], trusted_origins=[])


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://[::1]:18789", "[::1]:18789"),
        ("http://localhost", "localhost"),
        ("http://localhost:80", "localhost"),
        ("HTTP://LOCALHOST:18789", "localhost:18789"),
    ],
)
def test_forms_of_the_same_address(origin: str, host: str) -> None:
    headers = {"origin": origin, "host": host}
    hosts = ["localhost", "127.0.0.1", "[::1]"]
    assert origin_allowed(headers, allowed_hosts=hosts, trusted_origins=[])


@pytest.mark.parametrize("path", ["/nothing", "/ws/more", "/chat/"])
async def test_other_paths_are_refused(door: Door, path: str) -> None:
    with pytest.raises(Refused) as refused:
        await door.open(path=path, application=websocket_application)
    assert refused.value.code == 4404


@pytest.mark.parametrize("path", ["/", "/ws"])
async def test_the_two_paths(door: Door, path: str) -> None:
    await door.open(path=path, application=websocket_application)
