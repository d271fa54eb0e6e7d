# ruff: noqa: RUF001 - digits and dots of other scripts are what this is about
"""Addresses of pages: one reading, or a refusal that says why."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.errors import ToolError
from tools.net.hostnames import host_read
from tools.net.urls import url_host, url_read


def refusal(text: str) -> str:
    with pytest.raises(ToolError) as caught:
        url_read(text)
    return caught.value.message


def test_it_works() -> None:
    assert str(url_read(" https://Example.org/a?b=c#d ")) == "https://example.org/a?b=c"
    assert str(url_read("http://example.org:8080")) == "http://example.org:8080/"


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("http://EXAMPLE.org./", "example.org"),
        ("http://bücher.example/", "xn--bcher-kva.example"),
        ("http://xn--bcher-kva.example/", "xn--bcher-kva.example"),
        ("http://例え.テスト/", "xn--r8jz45g.xn--zckzah"),
        ("http://ｅｘａｍｐｌｅ．ｏｒｇ/", "example.org"),
        ("http://example。org/", "example.org"),
        ("http://１２７．０．０．１/", "127.0.0.1"),
        ("http://①②⑦.0.0.1/", "127.0.0.1"),
        ("http://127。0。0。1/", "127.0.0.1"),
        ("http://127.0.0.1./", "127.0.0.1"),
        ("http://[::FFFF:127.0.0.1]/", "::ffff:7f00:1"),
        ("http://[0:0:0:0:0:0:0:1]:80/", "::1"),
        ("http://my_host.example/", "my_host.example"),
        ("http://intranet/", "intranet"),
    ],
)
def test_hosts_have_one_spelling(text: str, host: str) -> None:
    assert url_host(url_read(text)) == host


@pytest.mark.parametrize(
    "host",
    [
        *("0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.1", "127.0.1", "017700000001"),
        *(
            "0x7f.0x0.0x0.0x1",
            "127.0.0.01",
            "127.0.0.1.1",
            "256.256.256.256",
            "1.2.3",
            "127.0.0.0x1",
        ),
        *("４２", "0x", "10.0.0.", "1.1.1.1.1.1"),
    ],
)
def test_numbers_that_are_no_dotted_address_are_refused(host: str) -> None:
    assert "IPv4 address" in refusal(f"http://{host}/")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "characters"),
        ("example.org/page", "no scheme"),
        ("//example.org", "no scheme"),
        ("file:///etc/passwd", "not file:"),
        ("gopher://example.org", "not gopher:"),
        ("ftp://example.org", "not ftp:"),
        ("data:text/html,x", "not data:"),
        ("javascript:alert(1)", "not javascript:"),
        ("http://a@127.0.0.1/", "user name"),
        ("http://example.org@127.0.0.1/", "user name"),
        ("http://user:pass@example.org/", "user name"),
        ("http://@example.org/", "user name"),
        ("http://example.org\\@127.0.0.1/", "backslashes"),
        ("http://exam ple.org/", "spaces"),
        ("http://example.org/\r\nHost: x", "control"),
        ("http://\x00example.org/", "control"),
        ("http://[fe80::1%25eth0]/", "zone"),
        ("http://[fe80::1%eth0]/", "zone"),
        ("http://[::1/", "cannot be read"),
        ("http://[::1]x/", "between host and port"),
        ("http://[nonsense]/", "IPv6"),
        ("http://example.org:99999/", "cannot be read"),
        ("http://example.org:port/", "cannot be read"),
        ("http://%31%32%37.0.0.1/", "no name"),
        ("http://exa%6Dple.org/", "no name"),
        ("http://a..b/", "no name"),
        ("http://.../", "no name"),
        ("http:///path", "no host"),
        ("http://:80/", "no host"),
        ("http://ex！ample.org/", "no name"),
        ("http://exam⁄ple.org/", "no name"),
        ("http://a℀b.org/", "cannot be read"),
        (f"http://{'a' * 64}.org/", "no name"),
        ("http://example.org/" + "a" * 9_000, "characters"),
    ],
)
def test_what_is_refused(text: str, reason: str) -> None:
    assert reason in refusal(text)


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b?c#d", "http://example.org/b?c"),
        ("b", "http://example.org/a/b"),
        ("//other.example/x", "http://other.example/x"),
        ("https://other.example", "https://other.example/"),
    ],
)
def test_redirects_may_be_relative(location: str, target: str) -> None:
    assert str(url_read(location, base=httpx.URL("http://example.org/a/"))) == target


@given(st.text(min_size=1))
def test_a_host_is_read_or_refused(text: str) -> None:
    try:
        host = host_read(text)
    except ToolError:
        return
    assert host.isascii()
    assert host_read(f"[{host}]" if ":" in host else host) == host


@given(st.text())
def test_an_address_that_was_read_is_read_the_same_again(rest: str) -> None:
    try:
        url = url_read(f"http://{rest}")
    except ToolError:
        return
    assert url_read(str(url)) == url
    assert url.scheme == "http"
    assert not url.userinfo
