"""The body of a user entry: what was said, and what the gateway puts around it for the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.core.messages import now_ms
from sessions.models.system_events import SystemEvent
from sessions.system_events.lines import Line, events_section, look_alikes_defused


def user_body(
    *, text: str, blocks: Sequence[Mapping[str, Any]], events: Sequence[SystemEvent] = (), zone: str
) -> dict[str, Any]:
    """A user message for the transcript: the events, the text, and the blocks of its files.

    Nobody but the gateway can write lines as those of the events: look-alikes in text and files
    get a mark. Where the model reads other words than were said, `said` holds those, for pages;
    `systemEvents` are the events.
    """
    section = events_section(
        [Line(event.created_at, event.text, event.trusted) for event in events], zone
    )
    defused = look_alikes_defused(text)
    shown = "\n\n".join(part for part in (section, defused) if part.strip()) if section else defused
    files = [_block(block) for block in blocks]
    first = [{"type": "text", "text": shown}] if shown.strip() else []
    body: dict[str, Any] = {
        "role": "user",
        "content": [*first, *files] if files else shown,
        "timestamp": now_ms(),
    }
    if shown != text:
        body["said"] = text
    if events:
        body["systemEvents"] = [_event(event) for event in events]
    return body


def wake_body(*, asked: str, said: str, events: Sequence[SystemEvent], zone: str) -> dict[str, Any]:
    """The same for a turn that nobody asked for: `asked` is for the model alone.

    Pages show the events, or `said` when there are none.
    """
    body = user_body(text=asked, blocks=(), events=events, zone=zone)
    return {**body, "said": "\n".join(event.text for event in events) or said, "wake": True}


def _block(block: Mapping[str, Any]) -> Mapping[str, Any]:
    text = block.get("text")
    if block.get("type") != "text" or not isinstance(text, str):
        return block
    defused = look_alikes_defused(text)
    return block if defused == text else {**block, "text": defused}


def _event(event: SystemEvent) -> dict[str, Any]:
    return {
        "source": event.source,
        "text": event.text,
        "trusted": event.trusted,
        "at": int(event.created_at.timestamp() * 1000),
    }
