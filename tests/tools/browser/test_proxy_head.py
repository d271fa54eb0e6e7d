"""What a browser may ask its proxy for, and how that is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.errors import ToolError
from tools.browser.proxy_head import request_read


def head(line: str, *headers: str) -> bytes:
    return "\r\n".join([line, *headers, "", ""]).encode("latin-1")


def test_it_works() -> None:
    found = request_read(
        head(
            "POST http://Example.org:8080/a?b=c%20d|e HTTP/1.1",
            "Host: other.example",
            "Proxy-Connection: keep-alive",
            "Upgrade: h2c",
            "Cookie: a=b",
            "Content-Length: 5",
        )
    )
    assert (found.host, found.port, found.tunnel, found.length) == ("example.org", 8080, False, 5)
    assert found.head.decode().split("\r\n") == [
        "POST /a?b=c%20d|e HTTP/1.1",
        "Host: example.org:8080",
        "Cookie: a=b",
        "Content-Length: 5",
        "Connection: close",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("target", "host", "port"),
    [
        ("example.org:443", "example.org", 443),
        ("[::1]:8443", "::1", 8443),
        ("127.0.0.1:80", "127.0.0.1", 80),
        ("EXAMPLE.org:1", "example.org", 1),
    ],
)
def test_tunnels(target: str, host: str, port: int) -> None:
    found = request_read(head(f"CONNECT {target} HTTP/1.1", "Host: x"))
    assert (found.host, found.port, found.tunnel) == (host, port, True)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("http://a.example", "/"),
        ("http://a.example?q=1", "/?q=1"),
        ("HTTP://a.example/%2e%2e/x", "/%2e%2e/x"),
    ],
)
def test_paths_stay_as_they_are(target: str, path: str) -> None:
    found = request_read(head(f"GET {target} HTTP/1.1"))
    assert found.head.startswith(f"GET {path} HTTP/1.1\r\n".encode())
    assert found.port == 80


@pytest.mark.parametrize(
    "line",
    [
        "GET / HTTP/1.1",
        "GET https://a.example/ HTTP/1.1",
        "GET ftp://a.example/ HTTP/1.1",
        "GET http://user@a.example/ HTTP/1.1",
        "GET http://a.example\\@b.example/ HTTP/1.1",
        "GET http:///x HTTP/1.1",
        "GET http://a.example:99999/ HTTP/1.1",
        "GET http://a.example:0/ HTTP/1.1",
        "GET http://0x7f.1/ HTTP/1.1",
        "GET http://2130706433/ HTTP/1.1",
        "GET http://[fe80::1%25eth0]/ HTTP/1.1",
        "GET http://a.example/ HTTP/2",
        "GET  http://a.example/ HTTP/1.1",
        "get http://a.example/ HTTP/1.1",
        "CONNECT a.example HTTP/1.1",
        "CONNECT a.example:0 HTTP/1.1",
        "CONNECT a.example:70000 HTTP/1.1",
        "CONNECT u@a.example:443 HTTP/1.1",
        "CONNECT http://a.example:443 HTTP/1.1",
        "CONNECT 0177.0.0.1:443 HTTP/1.1",
        "CONNECT [::1:443 HTTP/1.1",
        "",
        "\x16\x03\x01",
    ],
)
def test_what_is_refused(line: str) -> None:
    with pytest.raises(ToolError):
        request_read(head(line))


@pytest.mark.parametrize(
    "headers",
    [
        ("Transfer-Encoding: chunked",),
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: -1",),
        ("Content-Length: 5, 5",),
        ("Content-Length : 5",),
        (" folded: x",),
        ("no colon",),
        ("Bad\nHeader: x",),
    ],
)
def test_bodies_and_headers_that_could_hide_a_second_request(headers: tuple[str, ...]) -> None:
    with pytest.raises(ToolError):
        request_read(head("POST http://a.example/ HTTP/1.1", *headers))


@given(st.binary(max_size=300))
def test_anything_is_read_or_refused(data: bytes) -> None:
    try:
        found = request_read(data)
    except ToolError:
        return
    assert 0 < found.port < 65_536
