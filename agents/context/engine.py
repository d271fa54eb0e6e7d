"""The pluggable context engine: who decides what a model gets to see of a conversation.

The built-in engine ("legacy", the reference's name) passes messages through; compaction, pruning
and limits are then the turn's own work. An engine of a plugin registers itself in CONTEXT_ENGINES
and is chosen by `plugins.slots.contextEngine`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import structlog

from agents.core.messages import Message
from agents.core.registry import Registry

log = structlog.get_logger(__name__)

LEGACY = "legacy"
SubagentEnd = Literal["deleted", "completed", "swept", "released"]


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """Who an engine is. One that `owns_compaction` is asked to compact in place of the turn."""

    id: str
    name: str
    version: str = ""
    owns_compaction: bool = False


@dataclass(frozen=True, slots=True)
class EngineSession:
    """The conversation that a call is about."""

    session_id: str
    session_key: str


@dataclass(frozen=True, slots=True)
class Assembled:
    """What is sent. `system_addition` is put behind the system prompt."""

    messages: Sequence[Message]
    estimated_tokens: int = 0
    system_addition: str = ""


@dataclass(frozen=True, slots=True)
class EngineCompacted:
    """What an engine's own compaction gave. `reason` says why nothing was compacted."""

    compacted: bool
    reason: str = ""
    summary: str = ""
    tokens_before: int = 0
    tokens_after: int = 0


class ContextEngine(Protocol):
    """An engine. One instance serves a whole process; every call names its session.

    A call that raises never breaks a turn: assembling falls back to the original messages, a
    compaction counts as failed, everything else is only logged.
    """

    info: EngineInfo

    async def bootstrap(self, session: EngineSession) -> None:
        """The first turn of a session in this process begins."""
        ...

    async def ingest(self, session: EngineSession, message: Message) -> None:
        """A message became part of the conversation."""
        ...

    async def ingest_batch(self, session: EngineSession, messages: Sequence[Message]) -> None:
        """Several messages became part of it at once."""
        ...

    async def assemble(
        self,
        session: EngineSession,
        messages: Sequence[Message],
        *,
        token_budget: int,
        model: str,
        tools: Sequence[str],
    ) -> Assembled:
        """What to send for `messages`, in at most `token_budget` tokens."""
        ...

    async def compact(
        self,
        session: EngineSession,
        messages: Sequence[Message],
        *,
        token_budget: int,
        current_tokens: int,
        instructions: str,
    ) -> EngineCompacted:
        """Makes the conversation smaller. Asked only of an engine that owns compaction."""
        ...

    async def after_turn(self, session: EngineSession, messages: Sequence[Message]) -> None:
        """A turn ended; `messages` is the conversation as it is now."""
        ...

    async def maintain(self, session: EngineSession) -> None:
        """The engine may tidy up; nobody waits for an answer."""
        ...

    async def prepare_subagent_spawn(
        self, session: EngineSession, child: EngineSession
    ) -> Callable[[], None]:
        """A child conversation is about to begin; the result undoes the preparation."""
        ...

    async def on_subagent_ended(self, child: EngineSession, reason: SubagentEnd) -> None:
        """A child conversation ended."""
        ...

    async def dispose(self) -> None:
        """The process ends."""
        ...


class LegacyEngine:
    """The built-in engine: does nothing of its own. A base for engines that do only a part."""

    info = EngineInfo(LEGACY, "Built-in context engine")

    async def bootstrap(self, session: EngineSession) -> None:
        """Nothing to prepare."""

    async def ingest(self, session: EngineSession, message: Message) -> None:
        """Nothing is kept besides the transcript."""

    async def ingest_batch(self, session: EngineSession, messages: Sequence[Message]) -> None:
        """Takes each message as `ingest` does."""
        for message in messages:
            await self.ingest(session, message)

    async def assemble(
        self,
        session: EngineSession,
        messages: Sequence[Message],
        *,
        token_budget: int,
        model: str,
        tools: Sequence[str],
    ) -> Assembled:
        """The messages as they are."""
        return Assembled(messages)

    async def compact(
        self,
        session: EngineSession,
        messages: Sequence[Message],
        *,
        token_budget: int,
        current_tokens: int,
        instructions: str,
    ) -> EngineCompacted:
        """Leaves it to the turn."""
        return EngineCompacted(False, reason="left_to_the_turn")

    async def after_turn(self, session: EngineSession, messages: Sequence[Message]) -> None:
        """Nothing to do."""

    async def maintain(self, session: EngineSession) -> None:
        """Nothing to tidy."""

    async def prepare_subagent_spawn(
        self, session: EngineSession, child: EngineSession
    ) -> Callable[[], None]:
        """Nothing to undo."""
        return lambda: None

    async def on_subagent_ended(self, child: EngineSession, reason: SubagentEnd) -> None:
        """Nothing to do."""

    async def dispose(self) -> None:
        """Nothing to free."""


# Name → an engine, or a function without arguments that makes one.
CONTEXT_ENGINES: Registry[Any] = Registry("context engine")
CONTEXT_ENGINES.register(LEGACY, LegacyEngine)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The engine to use. `warning` says why it is not the one that was chosen."""

    engine: ContextEngine
    warning: str = ""


@dataclass(slots=True)
class _Made:
    engines: dict[str, ContextEngine] = field(default_factory=dict)


_made = _Made()


def context_engine(slots: Mapping[str, Any]) -> Resolved:
    """The engine that `plugins.slots` chooses, made once a process.

    Never raises: an unknown or broken one is replaced by the built-in engine, with a warning.
    """
    name = str(slots.get("contextEngine") or LEGACY)
    if (known := _made.engines.get(name)) is not None:
        return Resolved(known)
    try:
        target = CONTEXT_ENGINES.get(name)
        engine: ContextEngine = target() if callable(target) else target
    except Exception as error:  # noqa: BLE001 - a plugin's engine must not keep anybody waiting
        log.warning("context_engine.unusable", engine=name, error=repr(error))
        text = (
            f"The context engine {name!r} cannot be used ({_reason(error)}); the built-in one is."
        )
        return Resolved(context_engine({}).engine, text)
    _made.engines[name] = engine
    return Resolved(engine)


def _reason(error: Exception) -> str:
    return "it is not registered" if isinstance(error, KeyError) else repr(error)


def engines_forget() -> None:
    """Drops the engines that were made, for the end of a process or of a test."""
    _made.engines.clear()
