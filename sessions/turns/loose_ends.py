"""Tool calls that a turn leaves without results when it ends before its loop does."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from agents.core.json_codec import message_from_json
from agents.core.messages import Text, ToolResultMessage
from agents.core.tools import ToolResult
from sessions.models import Entry, Run, ToolCall
from sessions.turns.turn import Turn
from sessions.turns.writes import entries_add

INTERRUPTED = (
    "Interrupted: the worker stopped while this tool ran, and its outcome is unknown. "
    "It was not run again, because running it twice might do harm. Check before repeating it."
)
NEVER_RUN = "Not run: the turn ended before this tool was started."
_OPEN = (ToolCall.State.PENDING, ToolCall.State.STARTED)


def open_batch_of(run: Run) -> str:
    """The entry of the run whose tool calls have no results in the transcript, "" for none."""
    newest = ToolCall.objects.filter(run=run).order_by("-id").first()
    if newest is None:
        return ""
    entries = Entry.objects.filter(transcript_id=run.transcript_id, run_id=run.pk)
    seq = entries.filter(entry_id=newest.entry_id).values_list("seq", flat=True).first() or 0
    answered = entries.filter(role="toolResult", seq__gt=seq).exists()
    return "" if answered else newest.entry_id


def call_interrupt(call: ToolCall) -> ToolResult:
    """Ends a call whose result will never be known, within the caller's transaction."""
    text = INTERRUPTED if call.state == ToolCall.State.STARTED else NEVER_RUN
    ToolCall.objects.filter(pk=call.pk).update(
        state=ToolCall.State.INTERRUPTED,
        result={"content": [{"type": "text", "text": text}], "isError": True},
        ended_at=timezone.now(),
    )
    return ToolResult(content=(Text(text),), is_error=True)


def calls_close(turn: Turn) -> list[Entry]:
    """Answers the calls of the open batch, within the caller's transaction.

    Known results are used; every other call is marked as interrupted. No transcript may hold a
    call without a result.
    """
    rows = ToolCall.objects.filter(run=turn.run, entry_id=turn.open_batch).order_by("position")
    messages = [_result_message(call) for call in rows]
    return entries_add(turn, messages)


def _result_message(call: ToolCall) -> ToolResultMessage:
    if call.state in _OPEN or call.result is None:
        result = call_interrupt(call)
    else:
        result = result_from_json(call.result, call.details)
    return ToolResultMessage(
        tool_call_id=call.call_id,
        tool_name=call.name,
        content=result.content,
        is_error=result.is_error,
        details=result.details,
    )


def result_from_json(result: dict[str, Any], details: dict[str, Any]) -> ToolResult:
    """A stored tool result as the loop takes it."""
    message = message_from_json(
        {
            "role": "toolResult",
            "toolCallId": "",
            "toolName": "",
            "content": result.get("content", []),
            "isError": result.get("isError", False),
            "timestamp": 0,
        }
    )
    if not isinstance(message, ToolResultMessage):
        raise TypeError("a stored tool result did not read back as one")
    return ToolResult(content=message.content, details=details, is_error=message.is_error)
