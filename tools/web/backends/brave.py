"""Brave Search (https://api-dashboard.search.brave.com/app/documentation/web-search)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
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

_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
# The first day that a range without a beginning starts with.
_FIRST_DAY = "1970-01-01"


class Brave:
    """Needs a key. Its `description` is a snippet with highlighting marks."""

    name = "brave"
    options = frozenset(
        {"country", "language", "search_lang", "ui_lang", "freshness", "date_after", "date_before"}
    )
    key_variable = "BRAVE_API_KEY"
    address_variable = ""
    address = "https://api.search.brave.com"
    docs = "https://brave.com/search/api/"

    async def search(
        self, query: SearchQuery, endpoint: Endpoint, client: httpx.AsyncClient
    ) -> Sequence[SearchHit]:
        """See SearchBackend."""
        asked = {
            "q": query.text,
            "count": str(query.count),
            "country": query.country,
            "search_lang": query.language,
            "ui_lang": query.ui_language,
            "freshness": _freshness(query),
            "text_decorations": "false",
        }
        response = await client.get(
            f"{endpoint.base_url}/res/v1/web/search",
            params={name: value for name, value in asked.items() if value},
            headers={"accept": "application/json", "x-subscription-token": endpoint.api_key},
        )
        web = answer_json(response, "Brave Search").get("web")
        found = objects_of(web.get("results") if isinstance(web, dict) else None)
        return [_hit(result) for result in found[: query.count]]


BRAVE = Brave()


def _freshness(query: SearchQuery) -> str:
    if not query.date_after and not query.date_before:
        return _FRESHNESS.get(query.freshness, "")
    end = query.date_before or datetime.now(UTC).date().isoformat()
    return f"{query.date_after or _FIRST_DAY}to{end}"


def _hit(result: dict[str, object]) -> SearchHit:
    profile = result.get("profile")
    return SearchHit(
        title=text_of(result.get("title")),
        url=text_of(result.get("url")),
        description=text_of(result.get("description")),
        published=text_of(result.get("age")) or text_of(result.get("page_age")),
        site_name=text_of(profile.get("name")) if isinstance(profile, dict) else "",
    )
