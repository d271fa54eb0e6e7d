# ruff: noqa: TID252 - a plugin in a folder has no absolute name
"""The tools: what a model reads of them, and what they do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn

from .notes import NOTEBOOKS


class AddNote:
    """Writes into the notebook of one agent."""

    name, label = "notebook_add", "Add a note"
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"note": {"type": "string", "description": "What to remember."}},
        "required": ["note"],
        "additionalProperties": False,
    }
    # Running it twice would write the note twice.
    repeatable = False
    execution: Literal["parallel", "sequential"] = "sequential"

    def __init__(self, agent: str, limit: int) -> None:
        self.description = f"Writes a note into the notebook of {agent}, at most {limit}."
        self._agent = agent
        self._limit = limit

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Adds the note. ToolError, which the model reads, when the notebook is full."""
        if len(NOTEBOOKS.of(self._agent)) >= self._limit:
            raise ToolError("The notebook is full.")
        count = NOTEBOOKS.add(self._agent, arguments["note"])
        return ToolResult.text(f"Noted; {count} notes.")


class ClearNotes:
    """Empties the notebook of the agent that calls it."""

    name, label, description = "notebook_clear", "Clear notes", "Empties your notebook."
    parameters: Mapping[str, Any] = {
        "type": "object", "properties": {}, "additionalProperties": False,
    }  # fmt: skip
    repeatable = True
    execution: Literal["parallel", "sequential"] = "sequential"

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Forgets everything."""
        NOTEBOOKS.clear(context.agent_id)
        return ToolResult.text("The notebook is empty.")
