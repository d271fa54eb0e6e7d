"""SearXNG, at one's own address (https://docs.searxng.org/dev/search_api.html)."""

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


class Searxng:
    """Needs no key, but an address whose settings allow `json` among the formats.

    It takes no number of results: what is too much is left out afterwards.
    """

    name = "searxng"
    options = frozenset({"language", "search_lang", "freshness"})
    key_variable = ""
    address_variable = "SEARXNG_BASE_URL"
    address = ""
    docs = "https://docs.searxng.org/admin/settings/settings_search.html"
    refused = "its settings must list json among search.formats and its limiter let this gateway in"

    def request(self, query: SearchQuery, endpoint: Endpoint) -> SearchRequest:
        """See SearchBackend."""
        return SearchRequest(
            f"{endpoint.base_url}/search",
            parameters={
                "q": query.text,
                "format": "json",
                "language": query.language,
                "time_range": query.freshness,
            },
        )

    def hits(self, answer: Mapping[str, Any]) -> Sequence[SearchHit]:
        """See SearchBackend."""
        return [
            SearchHit(
                title=text_of(result.get("title")),
                url=text_of(result.get("url")),
                description=text_of(result.get("content")),
                published=text_of(result.get("publishedDate")),
            )
            for result in objects_of(answer.get("results"))
        ]


SEARXNG = Searxng()
