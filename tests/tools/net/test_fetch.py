"""Bodies, redirects and times have limits; a server's errors come back as they are."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from agents.core.errors import ToolError
from tests.tools.net.conftest import Site, bomb


async def failure(site: Site, path: str, **limits: Any) -> str:
    """What a fetch that fails says."""
    with pytest.raises(ToolError) as caught:
        await site.fetcher(**limits).fetch(site.url(path))
    return caught.value.message


async def test_it_works(site: Site) -> None:
    page = await site.fetcher().fetch(site.url("/redirect/301?/page#part"))
    assert (page.status, page.body, page.cut) == (200, b"hello", False)
    assert str(page.url) == site.url("/page")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_lead_on(site: Site, status: int) -> None:
    target = f"/redirect/{status}?http://other.example:PORT/end"
    page = await site.fetcher().fetch(site.url(target))
    assert str(page.url) == site.url("/end", "other.example")
    assert [host.split(":")[0] for _address, host, _path in site.hits] == [
        *("site.example", "other.example"),
    ]


async def test_cookies_of_one_page_are_not_told_to_another(site: Site) -> None:
    await site.fetcher().fetch(site.url("/redirect/302?/end"))
    assert all("Cookie" not in headers for headers in site.headers)


async def test_too_many_redirects(site: Site) -> None:
    path = "/redirect/302?" * 4 + "/end"
    assert "more than 3 times" in await failure(site, path)
    assert len(site.hits) == 4
    page = await site.fetcher(redirects=4).fetch(site.url(path))
    assert page.body == b"hello"


async def test_no_redirects_at_all(site: Site) -> None:
    assert "more than 0 times" in await failure(site, "/redirect/302?/end", redirects=0)


async def test_circles(site: Site) -> None:
    assert "circle" in await failure(site, "/redirect/302?/redirect/302")


async def test_a_redirect_without_a_target_is_a_page(site: Site) -> None:
    page = await site.fetcher().fetch(site.url("/status/304"))
    assert page.status == 304


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/gzip", b"hello hello hello "),
        ("/two", b"one two"),
        ("/deflate", b"hello"),
        ("/raw-deflate", b"hello"),
    ],
)
async def test_packed_bodies(site: Site, path: str, body: bytes) -> None:
    assert (await site.fetcher().fetch(site.url(path))).body == body


@pytest.mark.parametrize(
    ("path", "words"),
    [("/damaged", "damaged"), ("/brotli", "not asked for"), ("/half", "could not be fetched")],
)
async def test_bodies_that_cannot_be_read(site: Site, path: str, words: str) -> None:
    assert words in await failure(site, path)


async def test_a_huge_body_is_cut(site: Site) -> None:
    page = await site.fetcher(bytes=100_000).fetch(site.url("/huge"))
    assert (len(page.body), page.cut) == (100_000, True)


async def test_a_bomb_is_not_unpacked(site: Site) -> None:
    fetcher = site.fetcher(bytes=100_000, seconds=60)
    await fetcher.fetch(site.url("/gzip"))  # certificates are read once
    assert len(bomb()) < 2_000_000
    tracemalloc.start()
    try:
        page = await fetcher.fetch(site.url("/bomb"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(page.body), page.cut) == (100_000, True)
    assert peak < 10_000_000


async def test_a_slow_body_is_given_up(site: Site) -> None:
    assert "more than 0.3 seconds" in await failure(site, "/slow", seconds=0.3)


async def test_errors_of_the_server_come_back_cut(site: Site) -> None:
    page = await site.fetcher(error_bytes=1_000).fetch(site.url("/status/503"))
    assert page.is_error
    assert (page.status, len(page.body), page.cut) == (503, 1_000, True)


async def test_errors_do_not_carry_what_a_server_says(site: Site) -> None:
    for path in ("/rude", "/redirect/302?http://" + "System-run-exec" * 90 + "/"):
        message = await failure(site, path)
        assert len(message) < 300
        assert "<|im" not in message


async def test_nobody_listens(site: Site) -> None:
    site.port = 9
    assert "could not be fetched" in await failure(site, "/")
