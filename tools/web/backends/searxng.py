"""SearXNG, at one's own address (https://docs.searxng.org/dev/search_api.html)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agents.core.errors import ToolError
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


class Searxng:
    """Needs no key, but an address whose settings allow `json` among the formats."""

    name = "searxng"
    options = frozenset({"language", "search_lang", "freshness"})
    key_variable = ""
    address_variable = "SEARXNG_BASE_URL"
    address = ""
    docs = "https://docs.searxng.org/admin/settings/settings_search.html"

    async def search(
        self, query: SearchQuery, endpoint: Endpoint, client: httpx.AsyncClient
    ) -> Sequence[SearchHit]:
        """See SearchBackend. SearXNG takes no count: what is too much is left out here."""
        asked = {
            "q": query.text,
            "format": "json",
            "language": query.language,
            "time_range": query.freshness,
        }
        response = await client.get(
            f"{endpoint.base_url}/search",
            params={name: value for name, value in asked.items() if value},
            headers={"accept": "application/json"},
        )
        if response.status_code == 403:
            raise ToolError(
                "SearXNG refused the request (403): its settings must list `json` among "
                "search.formats, and its limiter must let this gateway through."
            )
        found = objects_of(answer_json(response, "SearXNG").get("results"))
        return [
            SearchHit(
                title=text_of(result.get("title")),
                url=text_of(result.get("url")),
                description=text_of(result.get("content")),
                published=text_of(result.get("publishedDate")),
            )
            for result in found[: query.count]
        ]


SEARXNG = Searxng()
