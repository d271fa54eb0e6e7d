"""A tool made of one function, for scripts and small programs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.tools import ToolContext, ToolResult, UpdateFn

NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}


@dataclass(slots=True)
class FunctionTool:
    """Calls `function` with the checked arguments as keywords; its text is the result.

    The function may also return a ToolResult. What it raises becomes an error result.
    """

    name: str
    description: str
    function: Callable[..., Awaitable[str | ToolResult]]
    parameters: Mapping[str, Any] = field(default_factory=lambda: NO_PARAMETERS)
    label: str = ""
    repeatable: bool = False
    execution: Literal["parallel", "sequential"] = "parallel"

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The function's answer as a result."""
        answer = await self.function(**arguments)
        return ToolResult.text(answer) if isinstance(answer, str) else answer
