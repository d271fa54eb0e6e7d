"""Tools that are only for some turns (by model, say), apart from all rules about rights."""

from __future__ import annotations

from typing import Protocol

from agents.core.tools import Tool, ToolContext


class OfferedToSome(Protocol):
    """A tool that says itself in which turns it makes sense."""

    def offered_in(self, context: ToolContext) -> bool:
        """Whether the model of this turn shall see it. Must be quick and must not raise."""
        ...


class MadeForTurns(Protocol):
    """Stands in the registry for a tool that is made for each turn."""

    def made_for(self, context: ToolContext) -> Tool | None:
        """The tool of this turn, None where there is none. Must be quick and must not raise."""
        ...


def tool_made(tool: Tool, context: ToolContext) -> Tool | None:
    """The tool itself, or what it stands for in this turn."""
    # Asked for each tool of each turn: an attribute is found quicker than a protocol.
    made_for = getattr(tool, "made_for", None)
    return tool if made_for is None else made_for(context)


def tool_offered(tool: Tool, context: ToolContext) -> bool:
    """Whether the tool makes sense in this turn; most do in every one."""
    if tool_made(tool, context) is None:
        return False
    offered_in = getattr(tool, "offered_in", None)
    return offered_in is None or bool(offered_in(context))
