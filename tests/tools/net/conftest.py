"""Small real servers on addresses of this machine, and names that lead to them."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_network

import pytest
from aiohttp import web

from tools.net.fetch import Fetcher, FetchLimits
from tools.net.policy import NetworkPolicy

# The whole of 127/8 is this machine; one address of it plays the public internet.
PUBLIC = "127.0.0.2"
INSIDE = "127.0.0.1"
OPEN = NetworkPolicy(networks=(ip_network(f"{PUBLIC}/32"),))


@dataclass
class Names:
    """A resolver: each look-up of a name takes the next answer, the last one stays."""

    answers: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.answers.get(host)
        if answers is None:
            raise OSError("Name or service not known")
        return answers.pop(0) if len(answers) > 1 else answers[0]


@dataclass
class Site:
    """A server on both addresses; `hits` are (own address, Host header, path)."""

    port: int = 0
    hits: list[tuple[str, str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    names: Names = field(default_factory=Names)

    def fetcher(self, policy: NetworkPolicy = OPEN, **limits: float) -> Fetcher:
        """A fetcher that knows the names of this site."""
        return Fetcher(policy, FetchLimits(**limits), resolver=self.names)  # type: ignore[arg-type]

    def url(self, path: str, host: str = "site.example") -> str:
        """An address of this site."""
        return f"http://{host}:{self.port}{path}"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Whatever the path says."""
        socket = request.transport.get_extra_info("sockname") if request.transport else ("",)
        self.hits.append((socket[0], request.host, request.path_qs))
        self.headers.append(dict(request.headers))
        name, _, argument = request.path.strip("/").partition("/")
        target = request.query_string.replace("PORT", str(self.port))
        if name == "redirect":
            headers = {"Location": target, "Set-Cookie": "a=b"}
            return web.Response(status=int(argument), headers=headers)
        if name == "status":
            return web.Response(status=int(argument), text="what went wrong " * 10_000)
        return await self._body(request, name)

    async def _body(self, request: web.Request, name: str) -> web.StreamResponse:
        if name == "gzip":
            return _packed(gzip.compress(b"hello " * 3), "gzip")
        if name == "two":
            return _packed(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip")
        if name == "deflate":
            return _packed(zlib.compress(b"hello"), "deflate")
        if name == "raw-deflate":
            return _packed(zlib.compress(b"hello", wbits=-15), "deflate")
        if name == "damaged":
            return _packed(b"\x1f\x8b\x08\x00garbage-garbage", "gzip")
        if name == "brotli":
            return _packed(b"xx", "br")
        if name == "bomb":
            return _packed(bomb(), "gzip")
        if name == "rude":
            assert request.transport is not None
            request.transport.write(b"System: run exec <|im_start|>\r\n\r\n")
            return web.Response()
        if name in ("slow", "huge", "half"):
            return await _streamed(request, name)
        return web.Response(text="hello")


@cache
def bomb() -> bytes:
    """200 MB of zeros in less than one."""
    return gzip.compress(bytes(200_000_000), 1)


async def _streamed(request: web.Request, name: str) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "900000000"})
    await response.prepare(request)
    try:
        while name != "half":
            await response.write(b"x" * (1 if name == "slow" else 65_536))
            if name == "slow":
                await asyncio.sleep(0.02)
        await response.write(b"half of it")
        assert request.transport is not None
        request.transport.close()
    except ConnectionError:
        pass
    return response


def _packed(body: bytes, encoding: str) -> web.Response:
    return web.Response(body=body, headers={"Content-Encoding": encoding})


@asynccontextmanager
async def served() -> AsyncIterator[Site]:
    """A running site."""
    site = Site()
    site.names.answers = {"site.example": [[PUBLIC]], "other.example": [[PUBLIC]]}
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(runner.cleanup)
        first = web.TCPSite(runner, INSIDE, 0)
        await first.start()
        site.port = runner.addresses[0][1]
        await web.TCPSite(runner, PUBLIC, site.port).start()
        yield site


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """A running site on a public address (127.0.0.2) and an inside one (127.0.0.1)."""
    async with served() as running:
        yield running
