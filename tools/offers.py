"""Tools that are only for some turns (by model, say), apart from all rules about rights."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from agents.core.tools import Tool, ToolContext


@runtime_checkable
class OfferedToSome(Protocol):
    """A tool that says itself in which turns it makes sense."""

    def offered_in(self, context: ToolContext) -> bool:
        """Whether the model of this turn shall see it. Must be quick and must not raise."""
        ...


def tool_offered(tool: Tool, context: ToolContext) -> bool:
    """Whether the tool makes sense in this turn; most do in every one."""
    return not isinstance(tool, OfferedToSome) or tool.offered_in(context)
