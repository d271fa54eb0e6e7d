"""Tools that plugins make for each turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

import orjson
import structlog

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import PreparesArguments, Tool, ToolContext, ToolResult, UpdateFn
from tools.plugin_shape import tool_problem

Factory = Callable[[ToolContext], Any]

# Every turn waits for it (runtime.md 12).
SLOW_SECONDS = 1.0
# Different looks of one tool that are remembered; each is kept for the life of the process.
MOST_LOOKS = 64

log = structlog.get_logger(__name__)


class FactoryTool:
    """Stands in the registry for a factory, and gives each turn what the factory makes.

    The same look (texts and parameters) always is the same object, so that lists of tools can be
    compared; the call itself is carried out by a tool that is made for its own context.
    """

    parameters: Mapping[str, Any] = {"type": "object", "properties": {}}
    repeatable = False
    execution: Literal["parallel", "sequential"] = "sequential"

    def __init__(self, plugin: str, name: str, factory: Factory) -> None:
        self.plugin = plugin
        self.name = self.label = name
        self.description = f"Made for each turn by the plugin {plugin}."
        self._factory = factory
        self._looks: dict[bytes, MadeTool] = {}

    def made_for(self, context: ToolContext) -> Tool | None:
        """The tool as this turn sees it, None where there is none. Never raises."""
        made = self.make(context)
        if made is None:
            return None
        look = _look(made)
        known = self._looks.get(look)
        if known is None:
            if len(self._looks) >= MOST_LOOKS:
                log.warning("plugin_tool_looks", plugin=self.plugin, tool=self.name)
                return None
            known = self._looks[look] = MadeTool(self, made)
        return known

    def make(self, context: ToolContext) -> Tool | None:
        """What the factory makes now. Never raises."""
        began = time.monotonic()
        try:
            made = self._factory(context)
            problem = "" if made is None else _problem(self.name, made)
        except Exception:
            log.exception("plugin_tool_factory_failed", plugin=self.plugin, tool=self.name)
            return None
        if (seconds := time.monotonic() - began) > SLOW_SECONDS:
            log.warning(
                "plugin_tool_factory_slow", plugin=self.plugin, tool=self.name, seconds=seconds
            )
        if problem:
            log.error("plugin_tool_unusable", plugin=self.plugin, tool=self.name, problem=problem)
            return None
        return made  # type: ignore[no-any-return]

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Carries the call out with a tool made for it. ToolError where there is none."""
        made = self.make(context)
        if made is None:
            raise ToolError(f"There is no tool {self.name!r} in this turn.")
        return await made.execute(call_id, arguments, context, signal, on_update)


class MadeTool:
    """One look of a factory's tool."""

    def __init__(self, source: FactoryTool, sample: Tool) -> None:
        self.name = source.name
        self.label = sample.label
        self.description = sample.description
        self.parameters = sample.parameters
        self.repeatable = sample.repeatable
        self.execution = sample.execution
        self.execute = source.execute
        self._sample = sample

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the tool makes of other spellings."""
        sample = self._sample
        return sample.prepare(arguments) if isinstance(sample, PreparesArguments) else arguments


def _problem(name: str, made: Any) -> str:
    stated = getattr(made, "name", None)
    return tool_problem(made) if stated == name else f"it is called {stated!r}"


def _look(tool: Tool) -> bytes:
    facts = (tool.label, tool.description, dict(tool.parameters), tool.repeatable, tool.execution)
    return orjson.dumps(facts, default=dict)
