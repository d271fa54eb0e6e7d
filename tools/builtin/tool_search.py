"""The tools `tool_search` and `tool_describe`: find a tool of a large catalogue, read about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import Text
from agents.core.tools import Tool, ToolContext, ToolResult, UpdateFn
from agents.core.untrusted import neutralised, one_line
from agents.database import run_db
from tools.arguments import number_argument, rename_aliases, text_argument
from tools.tool_search.catalog import catalog_tools
from tools.tool_search.ranking import Ranking
from tools.tool_search.settings import tool_search_settings

_SHOWN_CHARS = 240
_LONGEST_QUERY = 500


class ToolSearchTool:
    """Names the tools of this turn that fit a query."""

    name = "tool_search"
    label = "Search tools"
    description = (
        "Find further tools by what they do. Not every tool is listed here: search before saying "
        "that something cannot be done. Then read the parameters with tool_describe and call it "
        "with tool_call."
    )
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What the tool should do, in a few words."},
            "limit": {"type": "integer", "minimum": 1, "description": "Most tools to name."},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    repeatable = True
    execution: Literal["parallel", "sequential"] = "parallel"

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The best matches as JSON. Raises ToolError when nothing can be searched."""
        query = text_argument(arguments, "query").strip()
        if not query or len(query) > _LONGEST_QUERY:
            raise ToolError(f"query: must be 1 to {_LONGEST_QUERY} characters, got {len(query):,}.")
        settings = await run_db(tool_search_settings)
        if not settings.enabled:
            raise ToolError("tool_search is switched off (tools.toolSearch).")
        limit = number_argument(arguments, "limit", settings.search_default_limit, low=1)
        tools = _catalog(context)
        places = _ranking(tuple((tool.name, tool.description) for tool in tools)).best(
            query, min(limit, settings.max_search_limit)
        )
        found = [_short(tools[place]) for place in places]
        facts = {"query": query, "count": len(found), "total": len(tools), "tools": found}
        if not found:
            facts["hint"] = "Nothing fits. Try other words for what the tool should do."
        return ToolResult((Text(json.dumps(facts, ensure_ascii=False)),), details=facts)


class ToolDescribeTool:
    """Tells all about one tool of this turn."""

    name = "tool_describe"
    label = "Describe tool"
    description = "The full description and the parameters of a tool that tool_search named."
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "The id from tool_search."}},
        "required": ["id"],
        "additionalProperties": False,
    }
    repeatable = True
    execution: Literal["parallel", "sequential"] = "parallel"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments with `id` in place of its other names."""
        return rename_aliases(arguments, {"name": "id", "tool": "id"})

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Name, description and JSON Schema. Raises ToolError for what is not in the catalogue."""
        wanted = text_argument(self.prepare(arguments), "id")
        tool = next((tool for tool in _catalog(context) if tool.name == wanted), None)
        if tool is None:
            raise ToolError(f"id: there is no tool {wanted[:80]!r} to be found in this turn.")
        facts = {
            "id": tool.name,
            "description": neutralised(tool.description),
            "parameters": tool.parameters,
        }
        return ToolResult((Text(json.dumps(facts, ensure_ascii=False)),), details={"id": wanted})


TOOL_SEARCH = ToolSearchTool()
TOOL_DESCRIBE = ToolDescribeTool()


def _catalog(context: ToolContext) -> tuple[Tool, ...]:
    tools = catalog_tools(context)
    if not tools:
        raise ToolError("There are no further tools in this turn than those that are listed.")
    return tools


@lru_cache(maxsize=16)
def _ranking(entries: tuple[tuple[str, str], ...]) -> Ranking:
    return Ranking(entries)


def _short(tool: Tool) -> dict[str, str]:
    return {
        "id": tool.name,
        "label": one_line(tool.label, 80),
        "description": one_line(tool.description, _SHOWN_CHARS),
    }
