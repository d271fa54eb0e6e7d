"""web_fetch against a real server: what a model gets of each kind of page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import ToolCall, ToolResultMessage, blocks_text
from agents.core.session import create_agent_session
from agents.core.testing import SCRIPTED_MODEL, ScriptedModel, asks_for
from agents.core.untrusted import imitates_mark
from tests.tools.web.conftest import Run, Settle, shown
from tests.tools.web.pages import PARAGRAPHS, UMLAUTS, Pages, served
from tools.builtin.web_fetch import WebFetchTool

pytestmark = pytest.mark.django_db(transaction=True)

OPEN = {"allowedHostnames": ["pages.example"]}


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    """A running web."""
    async with served() as running:
        yield running


@pytest.fixture
async def tool(pages: Pages, settle: Settle) -> WebFetchTool:
    """A tool that may reach the pages and has fetched nothing yet."""
    assert await settle(fetch={"ssrfPolicy": OPEN}) == []
    return WebFetchTool(pages.resolver)


def bare(block: str) -> str:
    """The text inside a block."""
    return block.split("\n---\n", 1)[1].rsplit("\n<<<END_", 1)[0]


async def text(pages: Pages, tool: WebFetchTool, run: Run, name: str, **more: Any) -> str:
    """The text of a page."""
    return bare(shown(await run(tool, url=pages.url(name), **more))["text"])


async def failure(pages: Pages, tool: WebFetchTool, run: Run, name: str, **more: Any) -> str:
    """Why a page could not be fetched."""
    with pytest.raises(ToolError) as caught:
        await run(tool, url=pages.url(name), **more)
    return caught.value.message


async def test_it_works(pages: Pages, tool: WebFetchTool, run: Run) -> None:
    page = shown(await run(tool, url=pages.url("moved/article")))
    found = bare(page["text"])
    assert page["url"] == pages.url("moved/article")
    assert page["finalUrl"] == pages.url("article")
    assert (page["status"], page["contentType"]) == (200, "text/html")
    assert (page["extractMode"], page["extractor"]) == ("markdown", "readability")
    assert bare(page["title"]) == "The Lighthouse"
    assert page["externalContent"] == {"untrusted": True, "source": "web_fetch", "wrapped": True}
    assert page["truncated"] is False
    assert page["length"] == page["rawLength"] == len(found)
    assert page["wrappedLength"] == len(page["text"])
    assert page["fetchedAt"].endswith("Z")
    assert "information only" in page["notice"]
    for paragraph in PARAGRAPHS:
        assert paragraph in found
    assert f"[archive]({pages.url('archive/1871')})" in found
    assert "lat = 54.1\n  lon = 8.2" in found


async def test_what_is_not_seen_is_not_told(pages: Pages, tool: WebFetchTool, run: Run) -> None:
    for mode in ("markdown", "text"):
        found = await text(pages, tool, run, "article", extract_mode=mode)
        for hidden in ("Ignore", "hidden text", "nobody", "screens", "comment", "script text"):
            assert hidden not in found


async def test_text_has_no_marks(pages: Pages, tool: WebFetchTool, run: Run) -> None:
    found = await text(pages, tool, run, "article", extractMode="text")
    assert PARAGRAPHS[3] in found
    assert "](" not in found
    assert "# " not in found


async def test_a_page_without_an_article(pages: Pages, tool: WebFetchTool, run: Run) -> None:
    found = await text(pages, tool, run, "list")
    assert f"- [Item 39]({pages.url('item/39')})\n" in found
    assert "Name | Price |\nTea | 3 |" in found
    assert "Tea" in found
    plain = await text(pages, tool, run, "list", extractMode="text")
    assert "Item 39" in plain
    assert "](" not in plain


async def test_readability_can_be_switched_off(
    pages: Pages, tool: WebFetchTool, run: Run, settle: Settle
) -> None:
    await settle(fetch={"ssrfPolicy": OPEN, "readability": False})
    page = shown(await run(tool, url=pages.url("article")))
    assert page["extractor"] == "basic"
    found = bare(page["text"])
    assert "# The Lighthouse" in found
    assert "About us" in found
    assert "Copyright" in found
    assert "```\nlat = 54.1\n  lon = 8.2\n```" in found
    assert "Ignore" not in found


@pytest.mark.parametrize(
    ("name", "extractor", "body"),
    [
        ("plain", "raw", "just text\nof two lines"),
        ("markdown", "cf-markdown", "# Title\n\n*text*"),
        ("json", "json", '{\n  "b": [\n    1,\n    2\n  ],\n  "a": "ü"\n}'),
        ("feed", "json", '{\n  "version": "1.1"\n}'),
        ("bad-json", "raw", '{"cut": [1, 2'),
    ],
)
async def test_other_kinds_of_text(
    pages: Pages, tool: WebFetchTool, run: Run, name: str, extractor: str, body: str
) -> None:
    page = shown(await run(tool, url=pages.url(name)))
    assert (page["extractor"], bare(page["text"])) == (extractor, body)


@pytest.mark.parametrize("name", ["untyped", "sneaky"])
async def test_pages_that_do_not_say_that_they_are_html(
    pages: Pages, tool: WebFetchTool, run: Run, name: str
) -> None:
    page = shown(await run(tool, url=pages.url(name)))
    assert page["extractor"] == "readability"
    assert "Ignore" not in page["text"]


@pytest.mark.parametrize(
    "name",
    [
        *("utf-16", "utf-16-header", "utf-8-mark", "cp1252", "cp1252-as-latin-1"),
        *("cp1252-as-utf-8", "cp1252-unlabelled", "utf-8-as-latin-1", "unknown-charset"),
        "no-text-charset",
    ],
)
async def test_encodings_whatever_the_label(
    pages: Pages, tool: WebFetchTool, run: Run, name: str
) -> None:
    assert await text(pages, tool, run, name) == UMLAUTS


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("shift-jis", "日本語の文章"),
        ("declared", "Привет"),
        ("declared-later", "中文"),
        ("says-utf-16", "ü"),
        ("cut-utf-8", "xü" * 98 + "x\ufffd"),
    ],
)
async def test_other_encodings(
    pages: Pages, tool: WebFetchTool, run: Run, name: str, body: str
) -> None:
    assert await text(pages, tool, run, name) == body


@pytest.mark.parametrize("name", ["png", "svg", "pdf", "binary"])
async def test_what_is_no_text(pages: Pages, tool: WebFetchTool, run: Run, name: str) -> None:
    message = await failure(pages, tool, run, name)
    assert "no text" in message
    assert "bytes" in message


@pytest.mark.parametrize("name", ["empty", "script-only", "deep"])
async def test_pages_without_text(pages: Pages, tool: WebFetchTool, run: Run, name: str) -> None:
    page = shown(await run(tool, url=pages.url(name)))
    assert page["warning"] == "The page has no readable text."


async def test_pages_that_are_large(pages: Pages, tool: WebFetchTool, run: Run) -> None:
    page = shown(await run(tool, url=pages.url("huge")))
    assert page["truncated"] is True
    assert page["length"] == 20_000
    assert "too large" in page["warning"]
    assert shown(await run(tool, url=pages.url("many")))["extractor"] == "basic"
    assert "[" * 100 in await text(pages, tool, run, "deep-json")


async def test_how_much_is_told(pages: Pages, tool: WebFetchTool, run: Run, settle: Settle) -> None:
    page = shown(await run(tool, url=pages.url("article"), maxChars=100))
    assert (page["truncated"], page["length"]) == (True, 100)
    assert len(bare(page["text"])) == 100
    fetch = {"ssrfPolicy": OPEN, "maxChars": 150, "maxCharsCap": 200, "maxResponseBytes": 32_000}
    await settle(fetch=fetch)
    assert shown(await run(tool, url=pages.url("article")))["length"] == 150
    assert shown(await run(tool, url=pages.url("article"), max_chars=9_000))["length"] == 200
    assert "too large" in shown(await run(tool, url=pages.url("huge")))["warning"]


async def test_a_page_cannot_leave_its_block(pages: Pages, tool: WebFetchTool, run: Run) -> None:
    page = shown(await run(tool, url=pages.url("inject")))
    found = bare(page["text"])
    assert not imitates_mark(found)
    assert "(quoted) System: " in found
    assert r"(quoted) \[System Message\]" in found
    assert "\U000e0065" not in found
    assert "<|" not in page["title"]


async def test_errors_of_a_server(pages: Pages, tool: WebFetchTool, run: Run) -> None:
    message = await failure(pages, tool, run, "status/404")
    assert "the error 404" in message
    assert "<<<EXTERNAL_UNTRUSTED_CONTENT" in message
    assert "Gone" in message
    assert "<script>" not in message
    assert len(message) < 5_000


async def test_the_page_of_an_error_is_from_outside(
    pages: Pages, tool: WebFetchTool, run: Run
) -> None:
    """It could talk an agent into something as well as any other."""
    with pytest.raises(ToolError) as caught:
        await run(tool, url=pages.url("status/500"))
    assert caught.value.details["externalContent"]["untrusted"] is True
    assert caught.value.details["finalUrl"] == pages.url("status/500")


async def test_a_slow_server(pages: Pages, tool: WebFetchTool, run: Run, settle: Settle) -> None:
    await settle(fetch={"ssrfPolicy": OPEN, "timeoutSeconds": 0.3})
    assert "more than 0.3 seconds" in await failure(pages, tool, run, "slow")


async def test_a_stopped_turn_does_not_wait(pages: Pages, tool: WebFetchTool, run: Run) -> None:
    signal = AbortSignal()
    task = asyncio.ensure_future(run(tool, signal, url=pages.url("slow")))
    await pages.came.wait()
    signal.abort()
    with pytest.raises(ToolError, match="aborted"):
        await task


async def test_the_same_page_comes_from_memory(
    pages: Pages, tool: WebFetchTool, run: Run, settle: Settle
) -> None:
    first = shown(await run(tool, url=pages.url("article")))
    second = shown(await run(tool, url=pages.url("article"), maxChars=500))
    assert "cached" not in first
    assert (second["cached"], second["length"]) == (True, 500)
    assert second["text"].split("\n")[0] != first["text"].split("\n")[0]
    await run(tool, url=pages.url("article"), extractMode="text")
    assert len(pages.asked) == 2
    await settle(fetch={"ssrfPolicy": OPEN, "cacheTtlMinutes": 0})
    await run(tool, url=pages.url("article"))
    await run(tool, url=pages.url("article"))
    assert len(pages.asked) == 4


async def test_memory_does_not_outlive_a_rule(
    pages: Pages, tool: WebFetchTool, run: Run, settle: Settle
) -> None:
    await run(tool, url=pages.url("article"))
    await settle(fetch={})
    assert "'public addresses only'" in await failure(pages, tool, run, "article")


async def test_what_a_page_is_told_of_us(
    pages: Pages, tool: WebFetchTool, run: Run, settle: Settle
) -> None:
    await run(tool, url=pages.url("plain"))
    await settle(fetch={"ssrfPolicy": OPEN, "userAgent": "my own/1.0"})
    await run(tool, url=pages.url("plain"))
    first, second = pages.asked
    assert first["User-Agent"].startswith("Mozilla/5.0")
    assert first["Accept"].startswith("text/markdown")
    assert second["User-Agent"] == "my own/1.0"
    assert not {"Cookie", "Authorization", "Referer"} & set(first)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1/", "'public addresses only'"),
        ("http://localhost:PORT/plain", "'public addresses only'"),
        ("http://other.example:PORT/plain", "'public addresses only'"),
        ("http://2130706433/", "no plain IPv4 address"),
        ("http://a@pages.example/", "user name"),
        ("file:///etc/passwd", "http:// or https://"),
        ("pages.example", "no scheme"),
        ("", "characters"),
    ],
)
async def test_addresses_that_are_refused(
    pages: Pages, tool: WebFetchTool, run: Run, url: str, words: str
) -> None:
    with pytest.raises(ToolError, match=words):
        await run(tool, url=url.replace("PORT", str(pages.port)))
    assert pages.asked == []


async def test_bad_arguments(pages: Pages, tool: WebFetchTool, run: Run, settle: Settle) -> None:
    assert "extractMode: must be" in await failure(pages, tool, run, "plain", extractMode="pdf")
    assert "maxChars: must be 100" in await failure(pages, tool, run, "plain", maxChars=5)
    with pytest.raises(ToolError, match="url: expected text"):
        await run(tool)
    await settle(fetch={"enabled": False})
    assert "switched off" in await failure(pages, tool, run, "plain")


async def test_in_a_turn(pages: Pages, tool: WebFetchTool, workspace: Path) -> None:
    calls = asks_for(
        ToolCall("1", "web_fetch", {"url": pages.url("inject"), "max_chars": 500}),
        ToolCall("2", "web_fetch", {"url": "http://169.254.169.254/latest/meta-data/"}),
        ToolCall("3", "web_fetch", {"url": pages.url("plain"), "extractMode": "pdf"}),
    )
    session = create_agent_session(
        model=SCRIPTED_MODEL,
        client_or_stream_fn=ScriptedModel([calls, "Done."]),
        tools=[tool],
        workspace=workspace,
    )
    await session.prompt("Go.")
    results = [item for item in session.messages if isinstance(item, ToolResultMessage)]
    assert [result.is_error for result in results] == [False, True, True]
    assert "(quoted) System: " in blocks_text(results[0].content)
    assert "'public addresses only'" in blocks_text(results[1].content)
    assert "Traceback" not in blocks_text(results[1].content)
    assert "extractMode" in blocks_text(results[2].content)
