"""The tool `memory_get`: lines of a note."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError, UserError
from agents.core.messages import Text
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from agents.memory.backends import memory_backend
from agents.memory.places import audience_of, audiences_for
from agents.memory.search import MAX_LINES, Passage, note_name
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
        given = text_argument(arguments, "path")
        path = note_name(given, snapshot.workspace)
        if not path or audience_of(path) not in audiences_for(context.principal):
            return _answer(Passage(given, ""))
        try:
            backend = await run_db(memory_backend)
        except UserError as error:
            raise ToolError(error.message) from error
        if backend is None:
            raise ToolError("There is no memory here: plugins.slots.memory is none.")
        passage = await asyncio.to_thread(
            backend.get,
            snapshot=snapshot,
            principal=context.principal,
            path=path,
            start=number_argument(arguments, "from", 1, low=1),
            lines=number_argument(arguments, "lines", MAX_LINES, low=1),
        )
        return _answer(passage)


MEMORY_GET = MemoryGetTool()


def _answer(passage: Passage) -> ToolResult:
    facts: dict[str, Any] = {"path": passage.path, "text": passage.text}
    if passage.next_from is not None:
        facts |= {"truncated": True, "nextFrom": passage.next_from}
    return ToolResult((Text(json.dumps(facts, ensure_ascii=False)),), details=facts)
