"""Reads messages back from JSON. Unknown keys are ignored, so newer writers stay readable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, cast, get_args

from agents.core.errors import UserError
from agents.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Cost,
    Image,
    Message,
    StopReason,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserBlock,
    UserMessage,
)

T = TypeVar("T")
Object = Mapping[str, Any]

STOP_REASONS: frozenset[str] = frozenset(get_args(StopReason))
NUMBER = (int, float)
NO_COST = Cost()
_NAMES: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    dict: "an object",
    NUMBER: "a number",
}
_COUNTS = ("input", "output", "cacheRead", "cacheWrite")
_OPTIONAL_TEXTS = ("errorMessage", "responseId", "responseModel")


def message_from_json(data: Object) -> Message:
    """The message that `data` describes.

    A text where the reference writes blocks is read as one text block; missing usage, names and
    time stamps read as zero or empty. Raises UserError that names the field for anything else
    that is missing or of a wrong type.
    """
    if not isinstance(data, dict):
        _refuse("message", "an object", data)
    role = data.get("role")
    read = _ROLES.get(role) if isinstance(role, str) else None
    if read is None:
        _refuse("role", "user, assistant or toolResult", role)
    return read(data)


def _user(data: Object) -> UserMessage:
    content = data.get("content")
    if not isinstance(content, str):
        content = cast(tuple[UserBlock, ...], _blocks(data, (Text, Image)))
    return UserMessage(content=content, timestamp=_time(data))


def _assistant(data: Object) -> AssistantMessage:
    api, provider, model = _many(data, ("api", "provider", "model"), str, "")
    error, response_id, response_model = _many(data, _OPTIONAL_TEXTS, str, None)
    return AssistantMessage(
        content=cast(tuple[AssistantBlock, ...], _blocks(data, (Text, Thinking, ToolCall))),
        api=api,
        provider=provider,
        model=model,
        usage=_usage(_get(data, "usage", dict, {})),
        stop_reason=_stop_reason(data),
        error_message=error,
        response_id=response_id,
        response_model=response_model,
        timestamp=_time(data),
    )


def _tool_result(data: Object) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=_need(data, "toolCallId", str),
        tool_name=_get(data, "toolName", str, ""),
        content=cast(tuple[UserBlock, ...], _blocks(data, (Text, Image))),
        is_error=_get(data, "isError", bool, False),
        details=_details(data),
        timestamp=_time(data),
    )


def _details(data: Object) -> Object | None:
    # The reference lets a tool put anything here; only logs and pages read it.
    details = data.get("details")
    return details if details is None or isinstance(details, dict) else {"value": details}


def _stop_reason(data: Object) -> StopReason:
    reason = data.get("stopReason", "stop")
    if reason not in STOP_REASONS:
        _refuse("stopReason", "one of " + ", ".join(get_args(StopReason)), reason)
    return cast(StopReason, reason)


def _usage(data: Object) -> Usage:
    cost = _cost(_get(data, "cost", dict, {}))
    estimated = _get(data, "estimated", bool, False)
    sent, answered, read, written = _many(data, _COUNTS, int, 0)
    return Usage(sent, answered, read, written, cost, estimated)


def _cost(data: Object) -> Cost:
    dollars = _many(data, _COUNTS, NUMBER, 0.0)
    return Cost(*dollars) if any(dollars) else NO_COST


def _blocks(data: Object, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    content = data.get("content")
    if isinstance(content, str):
        return (Text(content),)
    if not isinstance(content, list):
        _refuse("content", "a list of blocks", content)
    return tuple(_block(index, item, kinds) for index, item in enumerate(content))


def _block(index: int, data: Any, kinds: tuple[type, ...]) -> Any:
    kind = data.get("type") if isinstance(data, dict) else None
    read = _BLOCKS.get(kind) if isinstance(kind, str) else None
    block = read(data) if read else None
    if not isinstance(block, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        _refuse(f"content[{index}]", f"a block of kind {names}", data)
    return block


def _text(data: Object) -> Text:
    return Text(_need(data, "text", str), _get(data, "textSignature", str, None))


def _thinking(data: Object) -> Thinking:
    return Thinking(
        thinking=_get(data, "thinking", str, ""),
        signature=_get(data, "thinkingSignature", str, None),
        redacted=_get(data, "redacted", bool, False),
    )


def _image(data: Object) -> Image:
    return Image(data=_need(data, "data", str), mime_type=_need(data, "mimeType", str))


def _tool_call(data: Object) -> ToolCall:
    return ToolCall(
        id=_need(data, "id", str),
        name=_need(data, "name", str),
        arguments=_get(data, "arguments", dict, {}),
        thought_signature=_get(data, "thoughtSignature", str, None),
    )


_BLOCKS: dict[str, Callable[[Object], Any]] = {
    "text": _text,
    "thinking": _thinking,
    "image": _image,
    "toolCall": _tool_call,
}
_ROLES: dict[str, Callable[[Object], Message]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _tool_result,
}


def _time(data: Object) -> int:
    return int(_get(data, "timestamp", NUMBER, 0))


def _get(data: Object, key: str, kind: Any, default: T) -> Any | T:
    value = data.get(key)
    if value is None:
        return default
    if not isinstance(value, kind):
        _refuse(key, _NAMES[kind], value)
    return value


def _many(data: Object, keys: Sequence[str], kind: Any, default: T) -> list[Any | T]:
    # One call for several fields: a long history is read before every answer.
    values = [data.get(key) for key in keys]
    for index, value in enumerate(values):
        if value is None:
            values[index] = default
        elif not isinstance(value, kind):
            _get(data, keys[index], kind, default)
    return values


def _need(data: Object, key: str, kind: Any) -> Any:
    value = _get(data, key, kind, None)
    if value is None:
        _refuse(key, _NAMES[kind], value)
    return value


def _refuse(field: str, expected: str, value: object) -> NoReturn:
    raise UserError(f"{field}: expected {expected}, got {value!r:.80}", details={"field": field})
