# ruff: noqa: RUF001 - digits and dots of other scripts are what this is about
"""Ways to make a tool ask for what is inside the network; none of them sends a single request."""

from __future__ import annotations

from contextlib import suppress

import pytest

from agents.core.errors import PolicyDenied, ToolError
from tests.tools.net.conftest import INSIDE, OPEN, PUBLIC, Site
from tools.builtin.web_fetch import WebFetchTool
from tools.net.policy import NetworkPolicy

# PORT is that of a server on 127.0.0.1, which must not be reached.
ATTACKS = (
    # The same address in other spellings.
    "http://127.0.0.1:PORT/", "http://127.0.0.1.:PORT/", "http://127.1:PORT/",
    "http://127.0.1:PORT/", "http://2130706433:PORT/", "http://0x7f.1:PORT/",
    "http://0x7f000001:PORT/", "http://0x7F.0x0.0x0.0x1:PORT/", "http://0177.0.0.1:PORT/",
    "http://017700000001:PORT/", "http://0000127.0.0.1:PORT/", "http://127.0.0.1%00:PORT/",
    "http://%31%32%37.0.0.1:PORT/", "http://１２７.０.０.１:PORT/", "http://①②⑦.⓪.⓪.①:PORT/",
    "http://127。0。0。1:PORT/", "http://127.0.0.1%2f@127.0.0.2:PORT/", "http://0:PORT/",
    "http://0.0.0.0:PORT/", "http://127.127.127.127:PORT/", "http://4294967297:PORT/",
    # Names.
    "http://localhost:PORT/", "http://LOCALHOST.:PORT/", "http://a.localhost:PORT/",
    "http://localhost.localdomain:PORT/", "http://ｌｏｃａｌｈｏｓｔ:PORT/", "http://printer.local/",
    "http://metadata.google.internal/computeMetadata/v1/", "http://a.internal/",
    "http://inside.example:PORT/", "http://both.example:PORT/", "http://meta.example/",
    # IPv6, also with an IPv4 address inside.
    "http://[::1]:PORT/", "http://[0:0:0:0:0:0:0:1]:PORT/", "http://[::]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:1]:PORT/", "http://[::127.0.0.1]:PORT/",
    "http://[64:ff9b::127.0.0.1]:PORT/", "http://[2002:7f00:1::]:PORT/",
    "http://[2001:0:0:0:0:0:80ff:fffe]/", "http://[fe80::1]/", "http://[fe80::1%25lo]:PORT/",
    "http://[fd00::1]/", "http://[fd00:ec2::254]/", "http://[::1%25]:PORT/",
    # What clouds and networks have.
    "http://169.254.169.254/latest/meta-data/", "http://169.254.170.2/", "http://100.100.100.200/",
    "http://168.63.129.16/", "http://192.0.0.192/", "http://10.0.0.1/", "http://172.16.0.1/",
    "http://192.168.0.1/", "http://100.64.0.1/", "http://198.18.0.1/", "http://224.0.0.1/",
    # User names and other tricks of reading.
    "http://a@127.0.0.1:PORT/", "http://127.0.0.2@127.0.0.1:PORT/",
    "http://127.0.0.2:PORT@127.0.0.1:PORT/", "http://127.0.0.1:PORT\\@127.0.0.2:PORT/",
    "http://127.0.0.2:PORT\\@127.0.0.1:PORT/", "http://127.0.0.2:PORT#@127.0.0.1:PORT/\r\nx",
    "http://127.0.0.1:PORT\t@127.0.0.2/", "http://@127.0.0.1:PORT/", "http:///127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/", "//127.0.0.1:PORT/", "http://127.0.0.1 .example:PORT/",
    "http://[127.0.0.1]:PORT/", "http://127.0.0.1:PORT:80/",
    # Other kinds of addresses.
    "file:///etc/passwd", "FILE:///etc/passwd", "gopher://127.0.0.1:PORT/_GET", "dict://127.0.0.1/",
    "ftp://127.0.0.1/", "ldap://127.0.0.1/", "data:text/html,x", "jar:http://127.0.0.1:PORT/!/",
    "view-source:http://127.0.0.1:PORT/", "netdoc:///etc/passwd", "unix:/run/docker.sock",
)  # fmt: skip


@pytest.fixture
def hostile(site: Site) -> Site:
    """A site with names of an attacker's own name server."""
    site.names.answers |= {
        "inside.example": [[INSIDE]],
        "both.example": [[PUBLIC, INSIDE]],
        "meta.example": [["169.254.169.254"]],
    }
    return site


async def test_it_works(hostile: Site) -> None:
    """The list is long enough, and the server would have answered."""
    assert len(set(ATTACKS)) >= 60
    assert (await hostile.fetcher().fetch(hostile.url("/"))).body == b"hello"
    everything = NetworkPolicy(open_kinds=frozenset({"loopback"}))
    page = await hostile.fetcher(everything).fetch(hostile.url("/", INSIDE))
    assert page.body == b"hello"


@pytest.mark.parametrize("attack", ATTACKS)
async def test_nothing_is_asked(hostile: Site, attack: str) -> None:
    with pytest.raises((PolicyDenied, ToolError)):
        await hostile.fetcher().fetch(attack.replace("PORT", str(hostile.port)))
    assert hostile.hits == []


async def test_redirects_to_all_of_them(hostile: Site) -> None:
    """Some are read as a path of the same site then; no other address is asked."""
    told = [a for a in ATTACKS if a.isascii() and a.isprintable() and not set(a) & set(" #%")]
    for attack in told:
        with suppress(PolicyDenied, ToolError):
            await hostile.fetcher(OPEN).fetch(hostile.url(f"/redirect/302?{attack}"))
    assert len(hostile.hits) >= 50
    assert {address for address, _host, _path in hostile.hits} == {PUBLIC}


async def test_a_redirect_that_no_library_reads(hostile: Site) -> None:
    with pytest.raises(ToolError, match="could not be fetched"):
        await hostile.fetcher().fetch(hostile.url("/redirect/302?http:127.0.0.1:PORT/"))


@pytest.mark.parametrize("flips", [1, 2, 3])
async def test_a_name_that_changes_its_mind(hostile: Site, flips: int) -> None:
    """Public for the first requests, inside from then on: only the first ones are made."""
    hostile.names.answers["flip.example"] = [*([[PUBLIC]] * flips), [INSIDE]]
    target = hostile.url("/redirect/302?/redirect/301?/redirect/307?/end", "flip.example")
    with pytest.raises((PolicyDenied, ToolError)):
        await hostile.fetcher(redirects=10).fetch(target)
    assert {address for address, _host, _path in hostile.hits} == {PUBLIC}
    assert len(hostile.hits) <= flips


def test_the_tool_goes_through_the_same_guard() -> None:
    """The tool has no other way to the network than the fetcher of these tests."""
    assert WebFetchTool()._resolver.__module__ == "tools.net.hosts"
