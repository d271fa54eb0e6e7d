"""Many tools of a plugin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents.core.function_tool import FunctionTool
from tools.plugin_tools import tool_take

PARAMETERS = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
NOUNS = ("ticket", "customer", "invoice", "shipment")
VERBS = ("create", "find", "remove", "list", "export")


async def _did(title: str) -> str:
    return f"did {title}"


class Tool(FunctionTool):
    """A tool as plugins bring it."""

    optional = False
    __hash__ = object.__hash__


@contextmanager
def many_tools(plugin: str = "office") -> Iterator[list[str]]:
    """Registers twenty tools and takes them out again."""
    undo: list[Any] = []
    names = []
    for noun in NOUNS:
        for verb in VERBS:
            name = f"{plugin}_{verb}_{noun}"
            tool = Tool(name, f"{verb.title()} a {noun} of the office.", _did, PARAMETERS)
            undo.append(tool_take(plugin, name, tool))
            names.append(name)
    try:
        yield names
    finally:
        for leave in undo:
            leave()
