"""What the loop knows about tools: how they are called, judged, and how they answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from agents.core.abort import AbortSignal
from agents.core.messages import Text, ToolCall, UserBlock
from agents.core.principal import Principal


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back. `details` is for pages and logs, never for the model.

    `terminate` asks the loop to stop after this batch (only if every result asks for it).
    """

    content: tuple[UserBlock, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False
    terminate: bool = False

    @classmethod
    def text(cls, text: str, *, is_error: bool = False, **details: Any) -> ToolResult:
        """A result of one text block; keyword arguments become `details`."""
        return cls(content=(Text(text),), details=details, is_error=is_error)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may know of the turn that called it. Passed by value, never stored.

    `environment` holds extra variables for commands of this run only. `model` is the one that the
    turn begins with, provider/model. `sandboxed`: commands and files are those of a sandbox.
    `attended`: somebody can be asked and may answer while the turn waits.
    """

    agent_id: str
    session_key: str
    workspace: Path
    principal: Principal
    run_id: str = ""
    channel: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""
    sandboxed: bool = False
    attended: bool = True


UpdateFn = Callable[[ToolResult], Awaitable[None]]


class Tool(Protocol):
    """One tool. `repeatable` says that running it twice does no harm (read, search)."""

    name: str
    label: str
    description: str
    parameters: Mapping[str, Any]
    repeatable: bool
    execution: Literal["parallel", "sequential"]

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Does the work. Raises ToolError (or any exception) to answer the model with an error.

        Must end soon after `signal` is set. `on_update` shows partial output and never raises.
        """
        ...


@runtime_checkable
class PreparesArguments(Protocol):
    """A tool that also understands other spellings of its arguments (an alias, say).

    `prepare` runs before the arguments are checked against the schema and returns the arguments
    in the schema's own names. It must not raise: what it cannot read it returns unchanged.
    """

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same arguments, spelled as `parameters` has them."""
        ...


@runtime_checkable
class ForwardsCalls(Protocol):
    """A tool whose calls stand for calls of another tool of the turn.

    The loop puts that call in place of this one before anything judges, runs or records it.
    """

    def forwarded(self, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """The name of the tool that is meant, and its arguments, from checked `arguments`."""
        ...


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run; with `arguments` in place of its own, checked against the schema again."""

    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Deny:
    """The call must not run; `reason` is the answer that the model gets."""

    reason: str


@dataclass(frozen=True, slots=True)
class Park:
    """Somebody must decide first; `ref` names the waiting decision. No call of the batch starts.

    What is decided on are `arguments` where they are given, else the call's own. `reason` is a
    sentence for whoever decides, `kind` what is asked about, `facts` what is shown beside it;
    `decisions` are the possible answers.
    """

    ref: str
    arguments: Mapping[str, Any] | None = None
    reason: str = ""
    kind: str = "tool"
    facts: Mapping[str, Any] = field(default_factory=dict)
    decisions: tuple[str, ...] = ("allow-once", "deny")


Verdict = Allow | Deny | Park


class ToolGate(Protocol):
    """Judges every call before it may run."""

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        """One verdict per call, in order. Must not raise: what it cannot judge it denies."""
        ...


class AllowAll:
    """The gate of the library façade: everything runs."""

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        """Allows each call."""
        return [Allow() for _ in calls]
