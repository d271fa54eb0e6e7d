"""Which tools a model is shown, and which it has to search for. Pure but for `catalog_tools`.

The catalogue is never stored: it is what the rules leave to the sender of a message at the moment
in which it is asked for, so that a tool that was taken away can be neither found nor called.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.core.tools import Tool, ToolContext

# The tools of the search itself.
SEARCH_TOOLS = frozenset({"tool_search", "tool_describe", "tool_call"})
# What nearly every turn needs; searching for these would cost more than showing them.
ALWAYS_SHOWN = frozenset({
    "read", "write", "edit", "apply_patch", "exec", "process", "web_fetch", "web_search",
    "read_result", "session_status", "update_plan", "message",
})  # fmt: skip


def tools_shown(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Those of `tools` that a model is shown, in their order.

    All but the tools of the search, unless all three are there and there is something to find.
    """
    names = {tool.name for tool in tools}
    if names >= SEARCH_TOOLS and names - SEARCH_TOOLS - ALWAYS_SHOWN:
        return tuple(t for t in tools if t.name in SEARCH_TOOLS or t.name in ALWAYS_SHOWN)
    return tuple(tool for tool in tools if tool.name not in SEARCH_TOOLS)


def tools_found(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Those of `tools` that can be searched for, in their order."""
    hidden = SEARCH_TOOLS | ALWAYS_SHOWN
    return tuple(tool for tool in tools if tool.name not in hidden)


def catalog_tools(context: ToolContext) -> tuple[Tool, ...]:
    """What the sender of this turn may find at this moment. Queries nothing, see `tools_for`."""
    # The registry names this package's tools, so it cannot be imported above.
    from tools.registry import tools_for

    return tools_found(tools_for(context))
