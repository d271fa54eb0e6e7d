"""What hooks of a run are told, in the field names of the reference (runtime.md 12). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.core.errors import ProviderError
from agents.core.json_codec import message_to_json, usage_to_json
from agents.core.messages import AssistantMessage, Image, Message, ToolCall, UserMessage, user_text
from agents.core.model import ModelInfo, ModelRequest
from agents.core.tools import ToolResult


def messages_json(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as the transcript has them."""
    return [message_to_json(message) for message in messages]


def prompt_of(messages: Sequence[Message]) -> UserMessage | None:
    """The newest message of a person."""
    return next((one for one in reversed(messages) if isinstance(one, UserMessage)), None)


def prompt_text(messages: Sequence[Message]) -> str:
    """Its text, "" when there is none."""
    prompt = prompt_of(messages)
    return user_text(prompt) if prompt is not None else ""


def resolve_event(messages: Sequence[Message]) -> dict[str, Any]:
    """before_model_resolve: what is asked, and what comes with it."""
    prompt = prompt_of(messages)
    blocks = () if prompt is None or isinstance(prompt.content, str) else prompt.content
    attachments = [
        {"kind": "image", "mimeType": block.mime_type}
        for block in blocks
        if isinstance(block, Image)
    ]
    event: dict[str, Any] = {"prompt": prompt_text(messages)}
    return event | ({"attachments": attachments} if attachments else {})


def prompt_event(messages: Sequence[Message]) -> dict[str, Any]:
    """before_agent_start, agent_turn_prepare, before_prompt_build."""
    return {"prompt": prompt_text(messages), "messages": messages_json(messages)}


def input_event(run_id: str, request: ModelRequest) -> dict[str, Any]:
    """llm_input: everything that is about to be sent."""
    images = sum(
        isinstance(block, Image)
        for message in request.messages
        if isinstance(message, UserMessage) and not isinstance(message.content, str)
        for block in message.content
    )
    return {
        "runId": run_id,
        "sessionId": request.session_id,
        **model_names(request.model),
        "systemPrompt": request.system,
        "prompt": prompt_text(request.messages),
        "historyMessages": messages_json(request.messages),
        "imagesCount": images,
    }


def output_event(
    run_id: str, session_id: str, message: AssistantMessage, error: ProviderError | None
) -> dict[str, Any]:
    """llm_output: what came back."""
    event: dict[str, Any] = {
        "runId": run_id,
        "sessionId": session_id,
        "provider": message.provider,
        "model": message.model,
        "assistantTexts": [message.text] if message.text else [],
        "lastAssistant": message_to_json(message),
        "usage": usage_to_json(message.usage),
    }
    return event | ({"error": error.message} if error is not None else {})


def tool_event(run_id: str, call: ToolCall) -> dict[str, Any]:
    """before_tool_call: what is about to run."""
    return {
        "toolName": call.name,
        "params": dict(call.arguments),
        "runId": run_id,
        "toolCallId": call.id,
    }


def tool_ended_event(
    run_id: str, call: ToolCall, result: ToolResult, milliseconds: float
) -> dict[str, Any]:
    """after_tool_call: what it gave."""
    content = [
        {"type": "text", "text": block.text}
        if not isinstance(block, Image)
        else {"type": "image", "data": block.data, "mimeType": block.mime_type}
        for block in result.content
    ]
    event = {**tool_event(run_id, call), "durationMs": round(milliseconds, 3)}
    event["result"] = {"content": content, "details": dict(result.details)}
    if result.is_error:
        event["error"] = "\n".join(block["text"] for block in content if "text" in block)
    return event


def finalize_event(
    run_id: str, session: Mapping[str, str], message: AssistantMessage, history: Sequence[Message]
) -> dict[str, Any]:
    """before_agent_finalize: the answer that would be the last."""
    return {
        "runId": run_id,
        **session,
        "provider": message.provider,
        "model": message.model,
        "lastAssistantMessage": message.text,
        "messages": messages_json(history),
    }


def model_names(model: ModelInfo) -> dict[str, Any]:
    """Who is asked."""
    return {"provider": model.provider, "model": model.id}
