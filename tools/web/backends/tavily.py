"""Tavily (https://docs.tavily.com/documentation/api-reference/endpoint/search)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tools.web.backends.backend import (
    Endpoint,
    SearchHit,
    SearchQuery,
    SearchRequest,
    objects_of,
    text_of,
)


class Tavily:
    """Needs a key."""

    name = "tavily"
    options = frozenset({"freshness", "date_after", "date_before", "domain_filter"})
    key_variable = "TAVILY_API_KEY"
    address_variable = ""
    address = "https://api.tavily.com"
    docs = "https://app.tavily.com/"
    refused = "check the key"

    def request(self, query: SearchQuery, endpoint: Endpoint) -> SearchRequest:
        """See SearchBackend."""
        return SearchRequest(
            f"{endpoint.base_url}/search",
            headers={"authorization": f"Bearer {endpoint.api_key}"},
            body={
                "query": query.text,
                "max_results": query.count,
                "search_depth": "basic",
                "time_range": query.freshness,
                "start_date": query.date_after,
                "end_date": query.date_before,
                "include_domains": [host for host in query.domains if not host.startswith("-")],
                "exclude_domains": [host[1:] for host in query.domains if host.startswith("-")],
            },
        )

    def hits(self, answer: Mapping[str, Any]) -> Sequence[SearchHit]:
        """See SearchBackend."""
        return [
            SearchHit(
                title=text_of(result.get("title")),
                url=text_of(result.get("url")),
                description=text_of(result.get("content")),
                published=text_of(result.get("published_date")),
            )
            for result in objects_of(answer.get("results"))
        ]


TAVILY = Tavily()
