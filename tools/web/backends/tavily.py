"""Tavily (https://docs.tavily.com/documentation/api-reference/endpoint/search)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.web.backends.backend import (
    Endpoint,
    SearchHit,
    SearchQuery,
    answer_json,
    objects_of,
    text_of,
)

if TYPE_CHECKING:
    import httpx


class Tavily:
    """Needs a key."""

    name = "tavily"
    options = frozenset({"freshness", "date_after", "date_before", "domain_filter"})
    key_variable = "TAVILY_API_KEY"
    address_variable = ""
    address = "https://api.tavily.com"
    docs = "https://app.tavily.com/"

    async def search(
        self, query: SearchQuery, endpoint: Endpoint, client: httpx.AsyncClient
    ) -> Sequence[SearchHit]:
        """See SearchBackend."""
        asked = {
            "query": query.text,
            "max_results": query.count,
            "search_depth": "basic",
            "time_range": query.freshness,
            "start_date": query.date_after,
            "end_date": query.date_before,
            "include_domains": [host for host in query.domains if not host.startswith("-")],
            "exclude_domains": [host[1:] for host in query.domains if host.startswith("-")],
        }
        response = await client.post(
            f"{endpoint.base_url}/search",
            json={name: value for name, value in asked.items() if value},
            headers={"authorization": f"Bearer {endpoint.api_key}"},
        )
        found = objects_of(answer_json(response, "Tavily").get("results"))
        return [
            SearchHit(
                title=text_of(result.get("title")),
                url=text_of(result.get("url")),
                description=text_of(result.get("content")),
                published=text_of(result.get("published_date")),
            )
            for result in found[: query.count]
        ]


TAVILY = Tavily()
