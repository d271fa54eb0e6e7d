"""Messages on their way into the transcript: `tool_result_persist`, `before_message_write`.

What is stored is changed, not what the running turn goes on with. Answers keep their tool calls
and results their call, whatever a handler returns: a transcript with half of a pair is broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import structlog

from agents.core.errors import UserError
from agents.core.json_codec import message_from_json, message_to_json
from agents.core.messages import AssistantMessage, Message, Text, ToolCall, ToolResultMessage
from agents.hooks import HookContext, hook_transform, hooks_present

log = structlog.get_logger(__name__)

Written = AssistantMessage | ToolResultMessage


def message_written(message: Message, ctx: HookContext) -> Message:
    """The message as it is to be stored. Never raises."""
    if isinstance(message, ToolResultMessage) and hooks_present("tool_result_persist"):
        message = _persisted(message, ctx)
    if isinstance(message, Written) and hooks_present("before_message_write"):
        result = hook_transform("before_message_write", {"message": message_to_json(message)}, ctx)
        if result.get("block") is True:
            return _withheld(message, str(result.get("blockReason") or "blocked by a hook"))
        return _changed(message, result)
    return message


def _persisted(message: ToolResultMessage, ctx: HookContext) -> Message:
    event = {
        "toolName": message.tool_name,
        "toolCallId": message.tool_call_id,
        "message": message_to_json(message),
        "isSynthetic": False,
    }
    return _changed(message, hook_transform("tool_result_persist", event, ctx))


def _changed(message: Written, result: Mapping[str, Any]) -> Message:
    body = result.get("message")
    if body is None:
        return message
    try:
        found = message_from_json(body)
    except (UserError, TypeError, ValueError) as error:
        log.warning("hook_message_unreadable", role=message.role, error=str(error))
        return message
    if isinstance(message, AssistantMessage) and isinstance(found, AssistantMessage):
        kept = tuple(block for block in found.content if not isinstance(block, ToolCall))
        return replace(message, content=(*kept, *message.tool_calls))
    if isinstance(message, ToolResultMessage) and isinstance(found, ToolResultMessage):
        return replace(
            message, content=found.content, is_error=found.is_error, details=found.details
        )
    log.warning("hook_message_of_other_role", role=message.role, given=found.role)
    return message


def _withheld(message: Written, reason: str) -> Message:
    note = Text(f"[not kept: {reason}]")
    if isinstance(message, AssistantMessage):
        return replace(message, content=(note, *message.tool_calls))
    return replace(message, content=(note,), details=None)
