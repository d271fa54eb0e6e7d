"""Brave Search (https://api-dashboard.search.brave.com/app/documentation/web-search)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tools.web.backends.backend import (
    Endpoint,
    SearchHit,
    SearchQuery,
    SearchRequest,
    object_of,
    objects_of,
    text_of,
)

_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
# What a range without a beginning begins with.
_FIRST_DAY = "1970-01-01"


class Brave:
    """Needs a key."""

    name = "brave"
    options = frozenset(
        {"country", "language", "search_lang", "ui_lang", "freshness", "date_after", "date_before"}
    )
    key_variable = "BRAVE_API_KEY"
    address_variable = ""
    address = "https://api.search.brave.com"
    docs = "https://brave.com/search/api/"
    refused = "check the key"

    def request(self, query: SearchQuery, endpoint: Endpoint) -> SearchRequest:
        """See SearchBackend."""
        return SearchRequest(
            f"{endpoint.base_url}/res/v1/web/search",
            parameters={
                "q": query.text,
                "count": str(query.count),
                "country": query.country,
                "search_lang": query.language,
                "ui_lang": query.ui_language,
                "freshness": _freshness(query),
                # Without marks around the words that were sought.
                "text_decorations": "false",
            },
            headers={"x-subscription-token": endpoint.api_key},
        )

    def hits(self, answer: Mapping[str, Any]) -> Sequence[SearchHit]:
        """See SearchBackend."""
        return [
            SearchHit(
                title=text_of(result.get("title")),
                url=text_of(result.get("url")),
                description=text_of(result.get("description")),
                published=text_of(result.get("age")) or text_of(result.get("page_age")),
                site_name=text_of(object_of(result.get("profile")).get("name")),
            )
            for result in objects_of(object_of(answer.get("web")).get("results"))
        ]


BRAVE = Brave()


def _freshness(query: SearchQuery) -> str:
    if not query.date_after and not query.date_before:
        return _FRESHNESS.get(query.freshness, "")
    end = query.date_before or datetime.now(UTC).date().isoformat()
    return f"{query.date_after or _FIRST_DAY}to{end}"
