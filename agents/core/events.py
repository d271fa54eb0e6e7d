"""What the loop tells its listener, nested like brackets.

agent_start ⟨turn_start ⟨message_start, message_update*, message_end⟩
⟨tool_execution_start, tool_execution_update*, tool_execution_end⟩* turn_end⟩ agent_end
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from agents.core.errors import ProviderError
from agents.core.messages import AssistantMessage, Message, ToolCall, ToolResultMessage
from agents.core.model import ModelEvent, ModelRequest
from agents.core.tools import ToolResult, Verdict

EndReason = Literal["done", "error", "aborted", "parked", "terminated"]


@dataclass(frozen=True, slots=True)
class AgentStart:
    """The loop begins."""


@dataclass(frozen=True, slots=True)
class TurnStart:
    """One model call and its tools begin."""


@dataclass(frozen=True, slots=True)
class ModelCallStart:
    """The request is about to be sent; awaited before it is, so a listener can record it."""

    request: ModelRequest


@dataclass(frozen=True, slots=True)
class MessageStart:
    """A message begins. For user and tool result messages the end follows at once."""

    role: Literal["user", "assistant", "toolResult"]


@dataclass(frozen=True, slots=True)
class MessageUpdate:
    """A piece of the assistant's message arrived."""

    event: ModelEvent


@dataclass(frozen=True, slots=True)
class MessageEnd:
    """A message is complete and part of the context. `error` is set for a failed answer."""

    message: Message
    error: ProviderError | None = None


@dataclass(frozen=True, slots=True)
class ToolBatchJudged:
    """Every call of a batch has its verdict; awaited before any of them starts.

    `calls` carry the arguments as they will run (checked, coerced). Calls that were answered
    beforehand are left out; a call that cannot run (unknown tool, invalid arguments, aborted)
    stands in its place with a Deny that holds the text the model gets.
    """

    message: AssistantMessage
    calls: Sequence[ToolCall]
    verdicts: Sequence[Verdict]


@dataclass(frozen=True, slots=True)
class ToolExecutionStart:
    """One call begins; awaited before its tool runs.

    For a call that does not run (denied, unknown, invalid, answered beforehand) the end follows
    at once, so that the brackets always close.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolExecutionUpdate:
    """Partial output of a running call."""

    call: ToolCall
    partial: ToolResult


@dataclass(frozen=True, slots=True)
class ToolExecutionEnd:
    """One call has its result (also when it was denied, unknown or invalid)."""

    call: ToolCall
    result: ToolResult


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The model call and all its tools are through."""

    message: AssistantMessage
    results: Sequence[ToolResultMessage]


@dataclass(frozen=True, slots=True)
class AutoCompactionStart:
    """Old history is being summarised; the next event of the run is the end of that.

    `reason` is threshold (the budget was reached), overflow (a service refused the request) or
    manual (a person asked for it).
    """

    reason: Literal["threshold", "overflow", "manual"]


@dataclass(frozen=True, slots=True)
class AutoCompactionEnd:
    """It is over. Not `completed`: the history is as it was, `error_message` says why.

    `will_retry`: the request that led to it is made again. Tokens are estimates.
    """

    completed: bool
    will_retry: bool
    tokens_before: int = 0
    tokens_after: int = 0
    aborted: bool = False
    error_message: str = ""


@dataclass(frozen=True, slots=True)
class AgentEnd:
    """The loop is through. `messages` holds only what is new in this run, prompts included."""

    messages: Sequence[Message]
    reason: EndReason
    error: ProviderError | None = None


LoopEvent = (
    AgentStart
    | TurnStart
    | ModelCallStart
    | MessageStart
    | MessageUpdate
    | MessageEnd
    | ToolBatchJudged
    | ToolExecutionStart
    | ToolExecutionUpdate
    | ToolExecutionEnd
    | TurnEnd
    | AutoCompactionStart
    | AutoCompactionEnd
    | AgentEnd
)

# Never called again before the last call returned, also while tools run in parallel.
EmitFn = Callable[[LoopEvent], Awaitable[None]]
