"""The tool `memory_search`: looks something up in the agent's notes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import structlog

from agents.core.abort import AbortSignal
from agents.core.errors import UserError
from agents.core.messages import Text
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from agents.memory.backends import memory_backend, permitted
from agents.memory.places import notes_folder
from agents.memory.search import found_json, memory_settings
from agents.selectors import agent_snapshot
from tools.arguments import text_argument

log = structlog.get_logger(__name__)

_DESCRIPTION = (
    "Search your notes (MEMORY.md and memory/): earlier work, decisions, dates, people, "
    "preferences, promises. Gives passages with file and lines; memory_get reads more of them. "
    "Search with the words that would stand in the note."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "description": "What is sought."},
        "maxResults": {"type": "integer", "minimum": 1, "maximum": 50, "description": "Default 6."},
        "minScore": {"type": "number", "minimum": 0, "maximum": 1, "description": "Default 0.35."},
    },
    "required": ["query"],
    "additionalProperties": False,
}


class MemorySearchTool:
    """Finds passages for the person that the turn belongs to, and for nobody else."""

    name = "memory_search"
    label = "Search notes"
    description = _DESCRIPTION
    parameters = _PARAMETERS
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
        """The passages as JSON, best first. A search that cannot be made says what to do."""
        query = text_argument(arguments, "query")
        snapshot = await run_db(partial(agent_snapshot, slug=context.agent_id))
        try:
            backend = await run_db(memory_backend)
        except UserError as error:
            return _unavailable(error.message)
        if backend is None or not memory_settings(snapshot).enabled:
            return _unavailable("It is switched off for this agent.")
        try:
            found = await asyncio.to_thread(
                backend.search,
                snapshot=snapshot,
                principal=context.principal,
                query=query,
                max_results=arguments.get("maxResults"),
                min_score=arguments.get("minScore"),
            )
        except Exception as error:  # whatever a back end does, the notes themselves are there
            log.exception("memory_search_failed", agent=context.agent_id)
            return _unavailable(f"The search failed: {type(error).__name__}.")
        facts = {
            "results": [found_json(one) for one in permitted(found, context.principal)],
            "mode": "text",
            "notesFolder": notes_folder(context.principal),
        }
        return ToolResult((Text(json.dumps(facts, ensure_ascii=False)),), details=facts)


MEMORY_SEARCH = MemorySearchTool()


def _unavailable(reason: str) -> ToolResult:
    facts = {
        "results": [],
        "disabled": True,
        "unavailable": True,
        "error": reason,
        "action": "Read MEMORY.md and the files in memory/ with the tool read instead.",
    }
    return ToolResult((Text(json.dumps(facts)),), details=facts)
