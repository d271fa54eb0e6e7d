"""The tools of this installation: one registry in stable order, and which ones a turn gets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from agents.core.model import ToolSchema
from agents.core.registry import Registry
from agents.core.tools import Tool, ToolContext
from tools.offers import tool_made, tool_offered
from tools.tool_search.catalog import tools_shown

# The order of registration is the order in every request: a stable prefix keeps vendors' prompt
# caches warm.
TOOLS: Registry[Tool] = Registry("tool")

BUILTIN_TOOLS: tuple[tuple[str, str], ...] = (
    ("read", "tools.builtin.read:READ"),
    ("write", "tools.builtin.write:WRITE"),
    ("edit", "tools.builtin.edit:EDIT"),
    ("apply_patch", "tools.builtin.apply_patch:APPLY_PATCH"),
    ("exec", "tools.builtin.exec.tool:EXEC"),
    ("process", "tools.builtin.process:PROCESS"),
    ("web_fetch", "tools.builtin.web_fetch:WEB_FETCH"),
    ("web_search", "tools.builtin.web_search:WEB_SEARCH"),
    ("memory_search", "tools.builtin.memory_search:MEMORY_SEARCH"),
    ("memory_get", "tools.builtin.memory_get:MEMORY_GET"),
    ("update_plan", "tools.builtin.update_plan:UPDATE_PLAN"),
    ("gateway", "tools.builtin.gateway:GATEWAY"),
    ("image", "tools.builtin.image:IMAGE"),
    ("image_generate", "tools.builtin.image_generate:IMAGE_GENERATE"),
    ("video_generate", "tools.builtin.video_generate:VIDEO_GENERATE"),
    ("tts", "tools.builtin.tts:TTS"),
    ("pdf", "tools.builtin.pdf:PDF"),
    ("browser", "tools.builtin.browser:BROWSER"),
    ("tool_search", "tools.builtin.tool_search:TOOL_SEARCH"),
    ("tool_describe", "tools.builtin.tool_search:TOOL_DESCRIBE"),
    ("tool_call", "tools.builtin.tool_search_call:TOOL_CALL"),
)

# The plugin that brought a tool, for those that are not the product's own.
TOOL_PLUGINS: dict[str, str] = {}
# Tools of plugins that are there only where rules name them.
TOOL_OPTIONAL: set[str] = set()


def register_builtin_tools() -> None:
    """Adds the tools of this package to TOOLS. Doing it twice changes nothing."""
    for name, target in BUILTIN_TOOLS:
        TOOLS.register(name, target)


def tools_for(context: ToolContext) -> list[Tool]:
    """The tools that the rules leave to the sender of this message, in registry order.

    Costs no query when the rules were read a moment ago, and well under 5 ms for 200 tools.
    """
    # The rules are applied to this registry, so that module cannot be imported above.
    from tools.policy_turns import policy_decide

    # A tool of an MCP server may have gone since the rules were applied.
    kept = (TOOLS.get(name) for name in policy_decide(context).kept if name in TOOLS)
    made = (tool_made(tool, context) for tool in kept)
    offered = [tool for tool in made if tool is not None and tool_offered(tool, context)]
    if not context.sandboxed:
        return offered
    from tools.sandbox.variants import sandboxed_tools

    return sandboxed_tools(offered, context)


def tool_schemas(tools: Sequence[Tool]) -> tuple[ToolSchema, ...]:
    """The tools as a model sees them, in the order given; of a large catalogue only a part.

    Cached: the same tools give the same object, so a caller may compare by identity. Tools must
    be hashable and must not change once they were shown.
    """
    return _schemas(tuple(tools))


@lru_cache(maxsize=128)
def _schemas(tools: tuple[Tool, ...]) -> tuple[ToolSchema, ...]:
    shown = tools_shown(tools)
    return tuple(ToolSchema(tool.name, tool.description, tool.parameters) for tool in shown)
