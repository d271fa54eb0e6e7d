"""The tool `memory_get`: lines of a note."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.messages import Text
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from agents.memory.search import MAX_LINES, memory_get
from agents.selectors import agent_snapshot
from tools.arguments import number_argument, rename_aliases, text_argument

_DESCRIPTION = (
    "Read lines of a note that memory_search found. A note that is not there is an empty text. "
    f"At most {MAX_LINES} lines at once; nextFrom says where to go on."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "As memory_search gave it."},
        "from": {"type": "integer", "minimum": 1, "description": "First line; default 1."},
        "lines": {"type": "integer", "minimum": 1, "description": "How many lines."},
    },
    "required": ["path"],
    "additionalProperties": False,
}


class MemoryGetTool:
    """Reads notes for the person that the turn belongs to, and for nobody else."""

    name = "memory_get"
    label = "Read a note"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    repeatable = True
    execution: Literal["parallel", "sequential"] = "parallel"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Also understands `start` and `offset` for `from`, and `limit` for `lines`."""
        return rename_aliases(arguments, {"start": "from", "offset": "from", "limit": "lines"})

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The lines as JSON. Raises ToolError for arguments that cannot be used."""
        snapshot = await run_db(partial(agent_snapshot, slug=context.agent_id))
        passage = await asyncio.to_thread(
            memory_get,
            snapshot=snapshot,
            principal=context.principal,
            path=text_argument(arguments, "path"),
            start=number_argument(arguments, "from", 1, low=1),
            lines=number_argument(arguments, "lines", MAX_LINES, low=1),
        )
        facts: dict[str, Any] = {"path": passage.path, "text": passage.text}
        if passage.next_from is not None:
            facts |= {"truncated": True, "nextFrom": passage.next_from}
        return ToolResult((Text(json.dumps(facts, ensure_ascii=False)),), details=facts)


MEMORY_GET = MemoryGetTool()
