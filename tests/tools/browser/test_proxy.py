"""The way out of the browser: nothing reaches an address that was not checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network

import pytest

from tests.tools.net.conftest import INSIDE, OPEN, PUBLIC, Site, served
from tools.browser.proxy import GuardProxy
from tools.net.policy import NetworkPolicy


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """A running site on a public address (127.0.0.2) and an inside one (127.0.0.1)."""
    async with served() as running:
        yield running


@asynccontextmanager
async def proxied(site: Site, policy: NetworkPolicy = OPEN) -> AsyncIterator[Proxied]:
    proxy = GuardProxy(policy, site.names)
    address = await proxy.start()
    try:
        yield Proxied(proxy, int(address.rsplit(":", 1)[1]))
    finally:
        await proxy.close()


class Proxied:
    """A running proxy and raw requests to it."""

    def __init__(self, proxy: GuardProxy, port: int) -> None:
        self.proxy = proxy
        self.port = port

    async def ask(self, *parts: str) -> str:
        """Everything that comes back for these bytes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        for part in parts:
            writer.write(part.encode())
            await writer.drain()
        async with asyncio.timeout(30):
            answer = await reader.read()
        writer.close()
        return answer.decode()

    async def get(self, url: str, method: str = "GET") -> str:
        return await self.ask(f"{method} {url} HTTP/1.1\r\nHost: x\r\n\r\n")

    async def tunnel(self, target: str, path: str = "/t") -> str:
        request = f"GET {path} HTTP/1.1\r\nHost: {target}\r\nConnection: close\r\n\r\n"
        return await self.ask(f"CONNECT {target} HTTP/1.1\r\n\r\n", request)


async def test_it_works(site: Site) -> None:
    async with proxied(site) as proxy:
        assert (await proxy.get(site.url("/a?b"))).endswith("hello")
        assert (await proxy.tunnel(f"site.example:{site.port}")).endswith("hello")
    assert site.hits == [
        (PUBLIC, f"site.example:{site.port}", "/a?b"),
        (PUBLIC, f"site.example:{site.port}", "/t"),
    ]


@pytest.mark.parametrize(
    "host",
    [
        INSIDE, "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "localhost", "x.localhost",
        "169.254.169.254", "[fd00::1]", "10.0.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0",
        "[::]", "metadata.google.internal", "printer.local", "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]", "inside.example", "both.example", "168.63.129.16",
    ],
)  # fmt: skip
async def test_inside_addresses_are_refused(site: Site, host: str) -> None:
    site.names.answers["inside.example"] = [[INSIDE]]
    site.names.answers["both.example"] = [[PUBLIC, INSIDE]]
    async with proxied(site) as proxy:
        for answer in (
            await proxy.get(f"http://{host}:{site.port}/"),
            await proxy.tunnel(f"{host}:{site.port}"),
        ):
            assert answer.startswith("HTTP/1.1 403 ")
            assert "hello" not in answer
        assert len(proxy.proxy.refused) == 2
    assert site.hits == []


async def test_an_answer_that_changes_has_no_effect(site: Site) -> None:
    """The second look-up of a name would lead inside; there is none."""
    site.names.answers["flip.example"] = [[PUBLIC], [INSIDE]]
    async with proxied(site) as proxy:
        assert (await proxy.get(site.url("/", "flip.example"))).endswith("hello")
        assert site.names.asked == ["flip.example"]
        assert (await proxy.get(site.url("/", "flip.example"))).startswith("HTTP/1.1 403 ")
    assert [address for address, _host, _path in site.hits] == [PUBLIC]


async def test_a_connection_serves_one_request(site: Site) -> None:
    """A second one could be for another host, with the cookies of that one."""
    first = f"GET {site.url('/one')} HTTP/1.1\r\nHost: x\r\n\r\n"
    second = f"GET {site.url('/two', 'other.example')} HTTP/1.1\r\nHost: x\r\n\r\n"
    async with proxied(site) as proxy:
        await proxy.ask(first, second)
    assert [path for _address, _host, path in site.hits] in ([], ["/one"])


async def test_bodies_are_carried(site: Site) -> None:
    body = "x" * 200_000
    head = f"POST {site.url('/p')} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    async with proxied(site) as proxy:
        assert (await proxy.ask(head, body)).endswith("hello")
    assert site.headers[0]["Content-Length"] == "200000"
    assert site.headers[0]["Host"] == f"site.example:{site.port}"


async def test_rules_can_change(site: Site) -> None:
    async with proxied(site, NetworkPolicy()) as proxy:
        assert (await proxy.get(site.url("/"))).startswith("HTTP/1.1 403 ")
        proxy.proxy.policy = NetworkPolicy(networks=(ip_network("127.0.0.0/8"),))
        assert (await proxy.get(site.url("/"))).endswith("hello")


async def test_what_cannot_be_reached(site: Site) -> None:
    async with proxied(site) as proxy:
        gone = await proxy.get("http://unknown.example/")
        assert gone.startswith("HTTP/1.1 403 ")
        assert "not found" in proxy.proxy.refused[0][1]
        assert "not found" not in gone
        assert (await proxy.tunnel(f"{PUBLIC}:1")).startswith("HTTP/1.1 502 ")


async def test_closing_ends_what_is_open(site: Site) -> None:
    async with proxied(site) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        target = f"site.example:{site.port}"
        writer.write(f"CONNECT {target} HTTP/1.1\r\n\r\n".encode())
        assert b"200" in await reader.readline()
    async with asyncio.timeout(30):
        await reader.read()
    writer.close()
