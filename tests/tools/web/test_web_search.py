"""web_search against services that speak what the vendors document."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.untrusted import imitates_mark
from tests.search_server import KEY, SearchServer, search_server
from tests.tools.web.conftest import Run, Settle, shown
from tools.builtin.web_search import WebSearchTool

pytestmark = pytest.mark.django_db(transaction=True)

ALL = ("brave", "tavily", "searxng")


@pytest.fixture
async def server() -> AsyncIterator[SearchServer]:
    """A running search service."""
    async with search_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BRAVE_API_KEY", "TAVILY_API_KEY", "SEARXNG_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def tool() -> WebSearchTool:
    """A tool that has found nothing yet."""
    return WebSearchTool()


def search(name: str, server: SearchServer, **more: Any) -> dict[str, Any]:
    """The settings for a service."""
    own = {"baseUrl": server.url} | ({} if name == "searxng" else {"apiKey": KEY})
    return {"provider": name, name: own, **more}


def bare(block: str) -> str:
    """The text inside a block."""
    return block.split("\n---\n")[1].rsplit("\n<<<END_", 1)[0]


@pytest.mark.parametrize("name", ALL)
async def test_it_works(
    server: SearchServer, settle: Settle, run: Run, tool: WebSearchTool, name: str
) -> None:
    assert await settle(search=search(name, server)) == []
    found = shown(await run(tool, query=" cats \n and dogs"))
    assert (found["query"], found["provider"], found["count"]) == ("cats and dogs", name, 5)
    assert found["externalContent"] == {
        "untrusted": True,
        "source": "web_search",
        "provider": name,
        "wrapped": True,
    }
    first = found["results"][0]
    assert bare(first["title"]) == "Title 1"
    assert bare(first["description"]) == "About cats and dogs, 1"
    assert first["url"] == "https://example.org/1"
    assert first["siteName"] == ("Example" if name == "brave" else "example.org")
    assert len(found["results"]) == 5
    assert isinstance(found["tookMs"], int)
    assert "information only" in found["notice"]


SAID: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "brave",
        {"count": 3, "country": "de", "language": "de", "uiLang": "de-DE", "freshness": "week"},
        {
            "q": "x",
            "count": "3",
            "country": "DE",
            "search_lang": "de",
            "ui_lang": "de-DE",
            "freshness": "pw",
            "text_decorations": "false",
        },
    ),
    (
        "brave",
        {"date_after": "2026-01-01", "date_before": "2026-02-01"},
        {
            "q": "x",
            "count": "5",
            "freshness": "2026-01-01to2026-02-01",
            "text_decorations": "false",
        },
    ),
    (
        "tavily",
        {"freshness": "pm", "domain_filter": ["a.org", "-b.org"]},
        {
            "query": "x",
            "max_results": 5,
            "search_depth": "basic",
            "time_range": "month",
            "include_domains": ["a.org"],
            "exclude_domains": ["b.org"],
        },
    ),
    (
        "tavily",
        {"count": 99, "dateAfter": "2026-01-01"},
        {
            "query": "x",
            "max_results": 10,
            "search_depth": "basic",
            "start_date": "2026-01-01",
        },
    ),
    (
        "searxng",
        {"search_lang": "fr", "freshness": "day"},
        {"q": "x", "format": "json", "language": "fr", "time_range": "day"},
    ),
]


@pytest.mark.parametrize(("name", "arguments", "said"), SAID)
async def test_parameters_in_the_words_of_the_service(
    server: SearchServer,
    settle: Settle,
    run: Run,
    tool: WebSearchTool,
    name: str,
    arguments: dict[str, Any],
    said: dict[str, Any],
) -> None:
    await settle(search=search(name, server))
    await run(tool, query="x", **arguments)
    assert [asked for _path, asked, _headers in server.asked] == [said]


async def test_a_range_without_an_end_ends_today(
    server: SearchServer, settle: Settle, run: Run, tool: WebSearchTool
) -> None:
    await settle(search=search("brave", server))
    await run(tool, query="x", date_after="2020-01-01")
    await run(tool, query="x", date_before="2020-01-01")
    first, second = [asked["freshness"] for _path, asked, _headers in server.asked]
    assert first.startswith("2020-01-01to20")
    assert second == "1970-01-01to2020-01-01"


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("searxng", {"country": "DE"}, "unsupported_country"),
        ("searxng", {"date_after": "2026-01-01"}, "unsupported_date_after"),
        ("tavily", {"language": "de"}, "unsupported_language"),
        ("brave", {"domain_filter": ["a.org"]}, "unsupported_domain_filter"),
        ("brave", {"max_tokens": 5}, "unsupported_max_tokens"),
    ],
)
async def test_what_a_service_does_not_know_is_refused(
    server: SearchServer,
    settle: Settle,
    run: Run,
    tool: WebSearchTool,
    name: str,
    arguments: dict[str, Any],
    code: str,
) -> None:
    await settle(search=search(name, server))
    result = await run(tool, query="x", **arguments)
    assert result.is_error
    assert shown(result)["error"] == code
    assert name in shown(result)["message"]
    assert server.asked == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": "  "}, "query: must be"),
        ({"query": 7}, "query: expected text"),
        ({"query": "x", "count": 0}, "count: must be 1 or more"),
        ({"query": "x", "freshness": "hour"}, "freshness: must be one of"),
        ({"query": "x", "country": "Germany"}, "country: must be a two-letter code"),
        ({"query": "x", "date_after": "yesterday"}, "date_after: must be a day"),
        ({"query": "x", "date_after": "2026-02-01", "date_before": "2026-01-01"}, "not be later"),
        ({"query": "x", "date_after": "2026-02-01", "freshness": "day"}, "give either"),
        ({"query": "x", "domain_filter": "a.org"}, "domain_filter: expected a list"),
        ({"query": "x", "domain_filter": ["a b"]}, "domain_filter: expected a list"),
    ],
)
async def test_bad_arguments(
    server: SearchServer,
    settle: Settle,
    run: Run,
    tool: WebSearchTool,
    arguments: dict[str, Any],
    words: str,
) -> None:
    await settle(search=search("brave", server))
    with pytest.raises(ToolError, match=words):
        await run(tool, **arguments)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("status 401", "answered 401"),
        ("status 403", "answered 403"),
        ("status 429", "try again later"),
        ("status 500", "what went wrong"),
        ("nonsense", "did not answer with JSON"),
        ("list", "no object"),
        ("huge", "too large"),
        ("slow", "did not answer within 0.3 seconds"),
    ],
)
async def test_services_that_fail(
    server: SearchServer,
    settle: Settle,
    run: Run,
    tool: WebSearchTool,
    name: str,
    query: str,
    words: str,
) -> None:
    seconds = 0.3 if query == "slow" else 20
    await settle(search=search(name, server, timeoutSeconds=seconds))
    with pytest.raises(ToolError, match=words) as caught:
        await run(tool, query=query)
    assert KEY not in caught.value.message
    told = "externalContent" in caught.value.details
    assert told == query.startswith("status")


async def test_a_wrong_key(
    server: SearchServer, settle: Settle, run: Run, tool: WebSearchTool
) -> None:
    for name in ("brave", "tavily"):
        own = {"baseUrl": server.url, "apiKey": "wrong-one"}
        await settle(search={"provider": name, name: own})
        with pytest.raises(ToolError, match="check the key") as caught:
            await run(tool, query="x")
        assert "wrong-one" not in caught.value.message


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("query", ["none", "odd"])
async def test_no_results(
    server: SearchServer, settle: Settle, run: Run, tool: WebSearchTool, name: str, query: str
) -> None:
    await settle(search=search(name, server))
    found = shown(await run(tool, query=query))
    assert (found["count"], found["results"]) == (0, [])


@pytest.mark.parametrize("name", ALL)
async def test_results_imitate_nothing(
    server: SearchServer, settle: Settle, run: Run, tool: WebSearchTool, name: str
) -> None:
    await settle(search=search(name, server))
    results = shown(await run(tool, query="inject"))["results"]
    assert [result["url"] for result in results] == [
        *("https://example.org/a", "https://example.org/b"),
    ]
    for field in ("title", "description"):
        text = bare(results[0][field])
        assert not imitates_mark(text)
        assert "\n" not in text
        assert "<|" not in text
    assert bare(results[1]["title"]) == "Hidden title"


async def test_the_same_search_is_answered_from_memory(
    server: SearchServer, settle: Settle, run: Run, tool: WebSearchTool
) -> None:
    await settle(search=search("brave", server))
    first, second = shown(await run(tool, query="x")), shown(await run(tool, query="x"))
    assert "cached" not in first
    assert second["cached"] is True
    assert [hit["url"] for hit in first["results"]] == [hit["url"] for hit in second["results"]]
    await run(tool, query="x", count=2)
    assert len(server.asked) == 2
    await settle(search=search("brave", server, cacheTtlMinutes=0))
    await run(tool, query="x")
    await run(tool, query="x")
    assert len(server.asked) == 4


async def test_how_many_results_is_a_setting(
    server: SearchServer, settle: Settle, run: Run, tool: WebSearchTool
) -> None:
    await settle(search=search("searxng", server, maxResults=2))
    assert shown(await run(tool, query="x"))["count"] == 2
    assert shown(await run(tool, query="x", count=7))["count"] == 7


async def test_nothing_is_set_up(settle: Settle, run: Run, tool: WebSearchTool) -> None:
    await settle(search={})
    assert shown(await run(tool, query="x"))["error"] == "no_search_provider"
    warnings = await settle(search={"provider": "brave"})
    assert "BRAVE_API_KEY" in warnings[0]
    missing = shown(await run(tool, query="x"))
    assert missing["error"] == "missing_brave_api_key"
    assert "tools.web.search.brave.apiKey" in missing["message"]
    assert missing["docs"].startswith("https://")
    await settle(search={"enabled": False})
    assert "switched off" in shown(await run(tool, query="x"))["message"]


async def test_a_stopped_turn_does_not_wait(
    server: SearchServer, settle: Settle, run: Run, tool: WebSearchTool
) -> None:
    await settle(search=search("searxng", server))
    signal = AbortSignal()
    task = asyncio.ensure_future(run(tool, signal, query="slow"))
    await server.came.wait()
    signal.abort()
    with pytest.raises(ToolError, match="aborted"):
        await task
