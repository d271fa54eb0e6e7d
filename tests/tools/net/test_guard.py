"""The guard against a real server: nothing reaches an address that was not checked."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_network

import httpx
import pytest

from agents.core.errors import PolicyDenied, ToolError
from tests.tools.net.conftest import INSIDE, OPEN, PUBLIC, Names, Site
from tools.net.hosts import host_addresses, system_resolver
from tools.net.policy import INSIDE_KINDS, NetworkPolicy
from tools.net.policy import PUBLIC as PUBLIC_ONLY
from tools.net.transport import guarded_client


async def refusal(site: Site, url: str, policy: NetworkPolicy = OPEN) -> str:
    """The words of the rule that stopped a fetch."""
    with pytest.raises(PolicyDenied) as caught:
        await site.fetcher(policy).fetch(url)
    return caught.value.message


async def test_it_works(site: Site) -> None:
    page = await site.fetcher().fetch(site.url("/page?x=1"))
    assert page.body == b"hello"
    assert site.hits == [(PUBLIC, f"site.example:{site.port}", "/page?x=1")]
    assert site.names.asked == ["site.example"]


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "LOCALHOST.", "x.localhost", "localhost.localdomain"),
        *("printer.local", "metadata.google.internal", "[::1]", "[::ffff:127.0.0.1]"),
        *("169.254.169.254", "0.0.0.0", "[::]", "[fd00::1]", "10.0.0.1", "[64:ff9b::7f00:1]"),
        "１２７．０．０．１",  # noqa: RUF001 - full-width digits
    ],
)
async def test_inside_addresses_are_not_asked(site: Site, host: str) -> None:
    assert "'public addresses only'" in await refusal(site, f"http://{host}:{site.port}/")
    assert site.hits == []


async def test_a_name_that_leads_inside(site: Site) -> None:
    site.names.answers["evil.example"] = [[INSIDE]]
    assert "loopback" in await refusal(site, site.url("/", "evil.example"))
    assert site.hits == []


@pytest.mark.parametrize("answers", [[PUBLIC, INSIDE], [INSIDE, PUBLIC], [PUBLIC, "fe80::1%1"]])
async def test_one_inside_answer_spoils_the_name(site: Site, answers: list[str]) -> None:
    site.names.answers["mixed.example"] = [answers]
    await refusal(site, site.url("/", "mixed.example"))
    assert site.hits == []


async def test_an_answer_that_is_no_address_spoils_the_name(site: Site) -> None:
    site.names.answers["odd.example"] = [[PUBLIC, "0x7f.1"]]
    assert "unreadable" in await refusal(site, site.url("/", "odd.example"))


async def test_an_answer_that_changes_after_the_check_has_no_effect(site: Site) -> None:
    site.names.answers["rebind.example"] = [[PUBLIC], [INSIDE]]
    page = await site.fetcher().fetch(site.url("/", "rebind.example"))
    assert page.body == b"hello"
    assert [address for address, _host, _path in site.hits] == [PUBLIC]
    assert site.names.asked == ["rebind.example"]
    await refusal(site, site.url("/", "rebind.example"))
    assert len(site.hits) == 1


async def test_the_next_address_is_tried_when_one_does_not_answer(site: Site) -> None:
    policy = NetworkPolicy(networks=(ip_network("127.0.0.2/31"),))
    site.names.answers["two.example"] = [["127.0.0.3", PUBLIC]]
    page = await site.fetcher(policy).fetch(site.url("/", "two.example"))
    assert page.body == b"hello"


async def test_redirects_are_checked_anew(site: Site) -> None:
    site.names.answers["evil.example"] = [[INSIDE]]
    for target in (
        f"http://{INSIDE}:PORT/secret",
        "http://evil.example:PORT/secret",
        "//localhost:PORT/secret",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]:PORT/secret",
    ):
        await refusal(site, site.url(f"/redirect/302?{target}"))
    assert {path.split("?")[0] for _address, _host, path in site.hits} == {"/redirect/302"}


async def test_the_same_name_may_lead_inside_on_the_second_hop(site: Site) -> None:
    site.names.answers["flip.example"] = [[PUBLIC], [INSIDE]]
    await refusal(site, site.url("/redirect/302?/secret", "flip.example"))
    assert [path for _address, _host, path in site.hits] == ["/redirect/302?/secret"]


@pytest.mark.parametrize(
    "target",
    ["file:///etc/passwd", "gopher://x/", "http://a@site.example/", "http://0x7f.1/", "ftp://x/"],
)
async def test_redirects_are_read_like_any_address(site: Site, target: str) -> None:
    with pytest.raises(ToolError, match="url:"):
        await site.fetcher().fetch(site.url(f"/redirect/301?{target}"))
    assert len(site.hits) == 1


async def test_an_administrator_may_open_hosts_networks_or_all(site: Site) -> None:
    site.names.answers |= {"intranet.example": [[INSIDE]], "localhost": [[INSIDE]]}
    intranet, local = site.url("/", "intranet.example"), site.url("/", "localhost")
    for policy in (
        NetworkPolicy(names=("intranet.example",)),
        NetworkPolicy(names=("*.example",)),
        NetworkPolicy(networks=(ip_network("127.0.0.0/8"),)),
        NetworkPolicy(open_kinds=INSIDE_KINDS),
    ):
        assert (await site.fetcher(policy).fetch(intranet)).body == b"hello"
    assert (await site.fetcher(NetworkPolicy(open_kinds=INSIDE_KINDS)).fetch(local)).status == 200
    assert (await site.fetcher(NetworkPolicy(names=("localhost",))).fetch(local)).status == 200


async def test_a_list_of_hosts_closes_all_others(site: Site) -> None:
    policy = NetworkPolicy(networks=OPEN.networks, only=("site.example",))
    assert (await site.fetcher(policy).fetch(site.url("/"))).status == 200
    assert "allow list" in await refusal(site, site.url("/", "other.example"), policy)
    listed = NetworkPolicy(networks=OPEN.networks, only=("127.0.0.2/32",))
    assert (await site.fetcher(listed).fetch(site.url("/", PUBLIC))).status == 200
    assert "allow list" in await refusal(site, site.url("/"), listed)
    moved = site.url(f"/redirect/302?http://other.example:{site.port}/")
    assert "allow list" in await refusal(site, moved, policy)


async def test_every_request_of_a_client_is_checked(site: Site) -> None:
    site.names.answers["evil.example"] = [[INSIDE]]
    client = guarded_client(OPEN, timeout_seconds=5, resolver=site.names)
    client.follow_redirects = True
    async with client:
        assert (await client.post(site.url("/"), content=b"x")).text == "hello"
        for url in (
            site.url("/", "evil.example"),
            site.url("/redirect/307?http://evil.example:PORT/"),
            site.url("/", "127.0.0.1"),
        ):
            with pytest.raises(PolicyDenied):
                await client.get(url)
        for url in ("http://a:b@site.example/", "http://2130706433/", "ftp://site.example/"):
            with pytest.raises((ToolError, httpx.UnsupportedProtocol)):
                await client.get(url)


async def test_proxies_of_the_environment_are_not_used(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://{INSIDE}:1")
    assert (await site.fetcher().fetch(site.url("/"))).status == 200


async def test_names_of_this_machine_by_its_own_resolver() -> None:
    with pytest.raises(PolicyDenied):
        await host_addresses(socket.gethostname().lower(), 80, policy=PUBLIC_ONLY)
    assert "127.0.0.1" in await system_resolver("127.0.0.1", 80)


async def test_unknown_names() -> None:
    with pytest.raises(ToolError, match="was not found"):
        await host_addresses("nowhere.example", 80, policy=PUBLIC_ONLY, resolver=Names())
    empty = Names({"empty.example": [[]]})
    with pytest.raises(ToolError, match="has no address"):
        await host_addresses("empty.example", 80, policy=PUBLIC_ONLY, resolver=empty)


async def test_many_at_once(site: Site) -> None:
    fetcher = site.fetcher()
    pages = await asyncio.gather(*(fetcher.fetch(site.url(f"/{n}")) for n in range(20)))
    assert {page.status for page in pages} == {200}


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
async def test_connections_over_ipv6() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        host = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"host:"))
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + host)
        writer.close()

    try:
        server = await asyncio.start_server(answer, "::1", 0)
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    port = server.sockets[0].getsockname()[1]
    site = Site(port=port, names=Names({"six.example": [["::1"]]}))
    async with server:
        assert "loopback" in await refusal(site, site.url("/", "six.example"))
        policy = NetworkPolicy(networks=(ip_network("::1/128"),))
        page = await site.fetcher(policy).fetch(site.url("/", "six.example"))
        assert page.body.lower() == f"host: six.example:{port}".encode()
        page = await site.fetcher(policy).fetch(site.url("/", "[::1]"))
        assert page.body.lower() == f"host: [::1]:{port}".encode()
