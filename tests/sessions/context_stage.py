"""A turn on a real database whose model is a function of the test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import uuid4

from agents.core.answer import Answer
from agents.core.errors import ProviderError
from agents.core.json_codec import message_to_json
from agents.core.messages import (
    AssistantMessage,
    Message,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from agents.core.model import ModelInfo, ModelRequest
from agents.core.principal import Principal
from agents.database import run_db
from agents.ids import entry_id
from sessions.context.turn_context import TurnContext
from sessions.inbox import message_accept
from sessions.models import Entry, Session, Transcript
from sessions.people import owner_ensure
from sessions.services import transcript_start
from sessions.turns.begin import turn_begin
from sessions.turns.turn import Turn

KEY = "agent:main:context"
AskFn = Callable[[ModelRequest], Awaitable[Answer]]


def model(window: int = 32_000, **fields: Any) -> ModelInfo:
    """A model with a window of so many tokens."""
    return ModelInfo(
        provider="openai", id="scripted", api="openai-completions", context_window=window, **fields
    )


def owner() -> Principal:
    """The rights of the first owner."""
    return owner_ensure().principal()


def long_talk(tokens: int, *, turns: int = 40, start: int = 1_700_000_000_000) -> list[Message]:
    """A conversation of about so many tokens, every other turn with a tool call."""
    said: list[Message] = []
    share = tokens * 4 // turns
    for number in range(turns):
        at = start + number * 1000
        said.append(UserMessage(f"Question {number}: " + "q" * (share // 8), timestamp=at))
        if number % 2:
            call = ToolCall(f"call_{number}", "read", {"path": f"notes/file-{number}.md"})
            said.append(AssistantMessage((call,), timestamp=at + 1, stop_reason="toolUse"))
            result = (Text(f"file {number} " + "r" * (share // 2)),)
            said.append(ToolResultMessage(call.id, "read", result, timestamp=at + 2))
        answer = f"Answer {number} about https://example.org/item/{number} "
        said.append(AssistantMessage((Text(answer + "a" * (share // 3)),), timestamp=at + 3))
    return said


def history_write(messages: Sequence[Message], *, key: str = KEY) -> Transcript:
    """Stores a conversation as the session's transcript, and returns that."""
    principal = owner()
    session, _ = Session.objects.get_or_create(
        key=key, defaults={"agent_slug": "main", "owner_id": principal.id}
    )
    transcript = session.current or transcript_start(session=session, reason="create")
    rows, leaf = [], transcript.leaf
    for seq, message in enumerate(messages, start=transcript.next_seq):
        entry = entry_id()
        rows.append(
            Entry(
                transcript=transcript,
                seq=seq,
                entry_id=entry,
                parent_id=leaf,
                role=message.role,
                body=message_to_json(message),
            )
        )
        leaf = entry
    Entry.objects.bulk_create(rows)
    transcript.leaf, transcript.next_seq = leaf, transcript.next_seq + len(rows)
    transcript.save()
    return transcript


def turn_start(text: str = "And now?", *, key: str = KEY, **options: Any) -> Turn:
    """The next turn of the session, begun by a message of the owner."""
    accepted = message_accept(
        principal=owner(),
        session_key=key,
        text=text,
        run_id=f"w-{uuid4().hex[:8]}",
        source="test",
        origin={"kind": "test"},
        options=options,
    )
    turn = turn_begin(accepted.session_id, "w1")
    assert turn is not None
    return turn


class Asked:
    """A model for summaries: remembers what it was asked, answers `text` or fails."""

    def __init__(self, text: str = "## Goal\nfinish", error: ProviderError | None = None) -> None:
        self.text, self.error = text, error
        self.requests: list[ModelRequest] = []

    async def __call__(self, request: ModelRequest) -> Answer:
        self.requests.append(request)
        if self.error is not None:
            return Answer(AssistantMessage((), stop_reason="error"), self.error)
        return Answer(AssistantMessage((Text(self.text),)))

    @property
    def prompts(self) -> list[str]:
        """The texts that were sent."""
        return [str(request.messages[0].content) for request in self.requests]


async def context_of(turn: Turn, ask: AskFn) -> TurnContext:
    """The context of a turn that has an agent."""
    assert turn.snapshot is not None
    snapshot = turn.snapshot
    return await run_db(lambda: TurnContext(turn=turn, snapshot=snapshot, ask=ask, emitter=None))
