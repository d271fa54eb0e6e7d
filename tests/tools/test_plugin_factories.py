"""Tools that plugins make for each turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import Tool, ToolContext, ToolResult
from agents.plugins.api import ToolOffer
from tools.plugin_factories import MOST_LOOKS
from tools.plugin_tools import tool_take
from tools.registry import register_builtin_tools, tool_schemas, tools_for

pytestmark = pytest.mark.django_db

register_builtin_tools()


class Made:
    """A tool that knows for whom it was made."""

    label, repeatable, execution = "Made", True, "parallel"
    parameters: dict[str, Any] = {"type": "object", "properties": {}}

    def __init__(self, context: ToolContext, name: str = "made", words: str = "") -> None:
        self.name = name
        self.description = words or f"For {context.agent_id}."
        self._run = context.run_id

    async def execute(
        self, call_id: str, arguments: Any, context: Any, signal: Any, on_update: Any
    ) -> ToolResult:
        return ToolResult.text(f"made in {self._run}")


Take = Callable[[Any], None]


@pytest.fixture
def take() -> Iterator[Take]:
    """Registers a factory as a plugin does; it is taken out again."""
    undo: list[Callable[[], None]] = []
    yield lambda factory: undo.append(tool_take("maker", "made", ToolOffer(factory=factory)))
    for leave in undo:
        leave()


def found(context: ToolContext) -> Tool | None:
    return next((tool for tool in tools_for(context) if tool.name == "made"), None)


async def _ignore(_partial: Any) -> None:
    return None


def execute(tool: Tool | None, context: ToolContext) -> Any:
    assert tool is not None
    return asyncio.run(tool.execute("1", {}, context, AbortSignal(), _ignore)).content[0]


def test_it_works(take: Take, context: ToolContext) -> None:
    """Each turn sees what is made for it, and a call runs what is made for the call."""
    take(Made)
    first, second = replace(context, run_id="r1"), replace(context, run_id="r2")
    tool = found(first)
    assert tool is found(second)
    assert tool_schemas(tools_for(first)) is tool_schemas(tools_for(second))
    assert "made in r2" in str(execute(tool, second))
    assert tool is not None
    assert tool.description == "For main."


def test_a_factory_may_have_nothing_for_a_turn(take: Take, context: ToolContext) -> None:
    take(lambda context: Made(context) if context.channel == "web" else None)
    assert found(context) is None
    web = replace(context, channel="web")
    tool = found(web)
    assert tool is not None
    with pytest.raises(ToolError, match="no tool 'made' in this turn"):
        execute(tool, context)


def _raises(_context: ToolContext) -> Any:
    raise RuntimeError("broken")


@pytest.mark.parametrize(
    "factory",
    [_raises, lambda context: object(), lambda context: Made(context, name="other")],
)
def test_a_broken_factory_only_leaves_its_tool_out(
    take: Take, context: ToolContext, factory: Any
) -> None:
    take(factory)
    assert found(context) is None
    assert [tool.name for tool in tools_for(context)][:2] == ["read", "write"]


def test_looks_without_end_do_not_fill_the_memory(take: Take, context: ToolContext) -> None:
    numbers = iter(range(10_000))
    take(lambda context: Made(context, words=f"Look {next(numbers)}."))
    seen = [found(context) for _turn in range(MOST_LOOKS + 10)]
    assert all(seen[:MOST_LOOKS])
    assert not any(seen[MOST_LOOKS:])


def test_what_is_no_factory_is_refused() -> None:
    with pytest.raises(ValueError, match="must be callable"):
        tool_take("maker", "made", ToolOffer(factory="made"))
