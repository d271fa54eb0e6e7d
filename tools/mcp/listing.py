"""Asks a server for its tools."""

from __future__ import annotations

from typing import Any

import orjson

from tools.mcp.catalogue import Offer
from tools.mcp.failures import McpUnavailableError

# Bytes of all tools of a server together; a list that is larger is a fault or an attack.
MAX_LISTING = 1024 * 1024
# Pages of a list, so that one without an end has one.
MAX_PAGES = 100


async def offers_list(session: Any) -> list[Offer]:
    """Every tool that the server lists. Raises McpUnavailableError for a list without bounds."""
    from mcp_types import PaginatedRequestParams

    offers: list[Offer] = []
    size, cursor = 0, None
    for _page in range(MAX_PAGES):
        params = PaginatedRequestParams(cursor=cursor) if cursor else None
        answer = await session.list_tools(params=params)
        for tool in answer.tools:
            plain = tool.model_dump(by_alias=True, mode="json", exclude_none=True)
            size += len(orjson.dumps(plain))
            if size > MAX_LISTING:
                text = f"its list of tools is larger than {MAX_LISTING // 1024} KB"
                raise McpUnavailableError(text)
            offers.append(_offer(plain))
        cursor = answer.next_cursor
        if not cursor:
            return offers
    raise McpUnavailableError(f"its list of tools has more than {MAX_PAGES} pages")


def _offer(tool: dict[str, Any]) -> Offer:
    notes = tool.get("annotations") or {}
    return Offer(
        name=tool["name"],
        schema=tool.get("inputSchema"),
        title=str(tool.get("title") or notes.get("title") or ""),
        description=str(tool.get("description") or ""),
        read_only=notes.get("readOnlyHint") is True,
        destructive=notes.get("destructiveHint") is True,
    )
