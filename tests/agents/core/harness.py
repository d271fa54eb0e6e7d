"""Runs the loop on a scripted model and keeps everything that it told its listener."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.events import (
    AgentEnd,
    LoopEvent,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolBatchJudged,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from agents.core.function_tool import FunctionTool
from agents.core.loop import LoopConfig, LoopContext, run_loop
from agents.core.messages import Message, ToolCall, ToolResultMessage, UserMessage, blocks_text
from agents.core.model import ModelRequest
from agents.core.principal import Principal
from agents.core.testing import SCRIPTED_MODEL, ScriptedAnswer, ScriptedModel
from agents.core.tools import AllowAll, Tool, ToolContext, ToolResult
from agents.core.transcript import repair_pairs

CONTEXT = ToolContext("main", "agent:main:main", Path("/tmp"), Principal("alice", is_owner=True))
TEXT_PARAMETERS = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}


def call(id: str, name: str = "echo", **arguments: Any) -> ToolCall:
    """A tool call; the text defaults to the id."""
    return ToolCall(id, name, arguments or {"text": id})


async def _echo(text: str) -> str:
    return text


def echo(name: str = "echo") -> FunctionTool:
    """A tool that gives its text back."""
    return FunctionTool(name, "Gives the text back.", _echo, TEXT_PARAMETERS)


def function_tool(function: Callable[..., Any], **more: Any) -> FunctionTool:
    """The function as a tool of its own name with one parameter, text."""
    name = more.pop("name", getattr(function, "__name__", "tool"))
    return FunctionTool(name, "A tool.", function, TEXT_PARAMETERS, **more)


@dataclass
class Stage:
    """One run to be: what the model says, what the tools are, and what happens on events."""

    answers: Sequence[ScriptedAnswer]
    tools: Sequence[Tool] = ()
    history: list[Message] = field(default_factory=list)
    prompts: Sequence[Message] = (UserMessage("hi"),)
    answered: Mapping[str, ToolResult] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    on_event: Callable[[LoopEvent], None] | None = None
    signal: AbortSignal = field(default_factory=AbortSignal)
    events: list[LoopEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.model = ScriptedModel(self.answers)

    async def run(self) -> AgentEnd:
        """Runs the loop to its end."""
        config = LoopConfig(
            stream=self.model,
            build_request=self._build_request,
            tools=self.tools,
            gate=self.settings.pop("gate", AllowAll()),
            tool_context=CONTEXT,
            signal=self.signal,
            **self.settings,
        )
        context = LoopContext(self.history, self.prompts, self.answered)
        return await run_loop(context, config, self._emit)

    @property
    def trace(self) -> list[str]:
        """Every event as one short line, pieces of messages left out."""
        return [_line(event) for event in self.events if not isinstance(event, MessageUpdate)]

    @property
    def results(self) -> list[ToolResultMessage]:
        """The tool results in the history."""
        return [item for item in self.history if isinstance(item, ToolResultMessage)]

    @property
    def result_texts(self) -> list[str]:
        """The text of each tool result in the history."""
        return [blocks_text(result.content) for result in self.results]

    async def _build_request(self, messages: Sequence[Message]) -> ModelRequest:
        return ModelRequest(SCRIPTED_MODEL, repair_pairs(messages))

    async def _emit(self, event: LoopEvent) -> None:
        self.events.append(event)
        if self.on_event is not None:
            self.on_event(event)


def _line(event: LoopEvent) -> str:
    name = type(event).__name__
    match event:
        case MessageStart(role=role):
            return f"{name} {role}"
        case MessageEnd(message=message):
            return f"{name} {message.role}"
        case ToolBatchJudged(calls=calls):
            return f"{name} {' '.join(item.id for item in calls)}"
        case ToolExecutionStart(call=asked) | ToolExecutionUpdate(call=asked):
            return f"{name} {asked.id}"
        case ToolExecutionEnd(call=asked):
            return f"{name} {asked.id}"
        case AgentEnd(reason=reason):
            return f"{name} {reason}"
        case _:
            return name
