"""The tools of this installation: one registry in stable order, and who may see what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from agents.core.model import ToolSchema
from agents.core.registry import Registry
from agents.core.tools import Tool, ToolContext

# The order of registration is the order in every request: a stable prefix keeps vendors' prompt
# caches warm.
TOOLS: Registry[Tool] = Registry("tool")

BUILTIN_TOOLS: tuple[tuple[str, str], ...] = (
    ("read", "tools.builtin.read:READ"),
    ("write", "tools.builtin.write:WRITE"),
    ("edit", "tools.builtin.edit:EDIT"),
    ("exec", "tools.builtin.exec.tool:EXEC"),
)

# Tools that reach beyond the workspace or change the gateway itself.
OWNER_ONLY_TOOLS = frozenset({"exec", "process", "gateway", "cron", "nodes"})


def register_builtin_tools() -> None:
    """Adds the tools of this package to TOOLS. Doing it twice changes nothing."""
    for name, target in BUILTIN_TOOLS:
        TOOLS.register(name, target)


def tools_for(context: ToolContext) -> list[Tool]:
    """The tools that the sender of this message may see, in registry order."""
    return [
        TOOLS.get(name)
        for name in TOOLS.names()
        if context.principal.is_owner or name not in OWNER_ONLY_TOOLS
    ]


def tool_schemas(tools: Sequence[Tool]) -> tuple[ToolSchema, ...]:
    """The tools as a model sees them, in the order given.

    Cached: the same tools give the same object, so a caller may compare by identity. Tools must
    be hashable and must not change once they were shown.
    """
    return _schemas(tuple(tools))


@lru_cache(maxsize=128)
def _schemas(tools: tuple[Tool, ...]) -> tuple[ToolSchema, ...]:
    return tuple(ToolSchema(tool.name, tool.description, tool.parameters) for tool in tools)
