"""The tool `tool_call`: calls a tool that the model was not shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.arguments import rename_aliases

_ALIASES: Mapping[str, str] = {
    "name": "id",
    "tool": "id",
    "arguments": "args",
    "parameters": "args",
    "input": "args",
}


class ToolCallTool:
    """Stands for another tool: the loop calls that one, judged and recorded as called directly."""

    name = "tool_call"
    label = "Call tool"
    description = (
        "Call a tool that tool_search named. Read its parameters with tool_describe first."
    )
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "The id from tool_search."},
            "args": {"type": "object", "description": "The arguments of that tool."},
        },
        "required": ["id"],
        "additionalProperties": False,
    }
    repeatable = False
    execution: Literal["parallel", "sequential"] = "parallel"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments with `id` and `args` in place of their other names."""
        return rename_aliases(arguments, _ALIASES)

    def forwarded(self, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """The tool that is meant and its arguments."""
        return str(arguments["id"]).strip(), arguments.get("args") or {}

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Never runs a tool: outside of the loop nobody would judge the call. Raises ToolError."""
        raise ToolError("tool_call works only within a turn.")


TOOL_CALL = ToolCallTool()
