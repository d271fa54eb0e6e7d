"""The pairing of tool calls and results in a history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agents.core.messages import AssistantMessage, Message, Text, ToolCall, ToolResultMessage

MISSING_RESULT = "No result of this call was recorded. It may or may not have run."


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """The assistant message that ends a history, and those of its calls without a result."""

    message: AssistantMessage
    calls: tuple[ToolCall, ...]


def open_batch(history: Sequence[Message]) -> OpenBatch | None:
    """The calls at the end of `history` that still wait for their results; None when none do.

    Only results may stand behind the assistant message. The calls of a failed or aborted answer
    never wait.
    """
    results: list[ToolResultMessage] = []
    for message in reversed(history):
        if isinstance(message, ToolResultMessage):
            results.append(message)
            continue
        if not isinstance(message, AssistantMessage) or is_broken(message):
            return None
        pool = _Pool(reversed(results))
        calls = tuple(call for call in message.tool_calls if pool.take(call) is None)
        return OpenBatch(message, calls) if calls else None
    return None


def repair_pairs(messages: Sequence[Message]) -> list[Message]:
    """The same history with every tool call answered exactly once, directly behind its message.

    Results are moved behind the assistant message that called them, in the order of the calls;
    they are looked for up to the next assistant message, because ids may repeat later. Results
    that are there twice, or that nobody called, are dropped; a missing one becomes an error result
    with the time stamp of its call, so that the same history always gives the same request.

    A failed or aborted answer keeps only its visible text, as an ordinary answer with stop reason
    stop: its thinking may lack its signature and its calls never ran. Without visible text it is
    left out. A result has the name of the tool that its call has. Nothing else changes, and
    `messages` itself never does.
    """
    repaired: list[Message] = []
    for assistant, following in _spans(messages):
        others = [item for item in following if not isinstance(item, ToolResultMessage)]
        if assistant is None:
            repaired += others
        elif is_broken(assistant):
            repaired += [*_visible(assistant), *others]
        else:
            results = [item for item in following if isinstance(item, ToolResultMessage)]
            repaired += [assistant, *_answers(assistant, results), *others]
    return repaired


def is_broken(message: Message) -> bool:
    """Whether this is an answer that failed or was aborted."""
    return isinstance(message, AssistantMessage) and message.stop_reason in ("error", "aborted")


def missing_result(call: ToolCall, timestamp: int) -> ToolResultMessage:
    """The error result of a call that has none; it says that the outcome is unknown."""
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=(Text(MISSING_RESULT),),
        is_error=True,
        timestamp=timestamp,
    )


class _Pool:
    """Results by call id, each to be taken once, the first first."""

    def __init__(self, results: Iterable[ToolResultMessage]) -> None:
        self._by_id: dict[str, list[ToolResultMessage]] = {}
        for result in results:
            self._by_id.setdefault(result.tool_call_id, []).append(result)

    def take(self, call: ToolCall) -> ToolResultMessage | None:
        waiting = self._by_id.get(call.id)
        return waiting.pop(0) if waiting else None


def _spans(
    messages: Sequence[Message],
) -> list[tuple[AssistantMessage | None, list[Message]]]:
    """Each assistant message with what follows it up to the next one."""
    spans: list[tuple[AssistantMessage | None, list[Message]]] = [(None, [])]
    for message in messages:
        if isinstance(message, AssistantMessage):
            spans.append((message, []))
        else:
            spans[-1][1].append(message)
    return spans


def _answers(
    message: AssistantMessage, results: Sequence[ToolResultMessage]
) -> list[ToolResultMessage]:
    pool = _Pool(results)
    return [
        _named(pool.take(call), call) or missing_result(call, message.timestamp)
        for call in message.tool_calls
    ]


def _named(result: ToolResultMessage | None, call: ToolCall) -> ToolResultMessage | None:
    """The result under the name that was called: a call may have stood for another tool."""
    if result is None or result.tool_name == call.name:
        return result
    return replace(result, tool_name=call.name)


def _visible(message: AssistantMessage) -> list[AssistantMessage]:
    if not message.text.strip():
        return []
    texts = tuple(block for block in message.content if isinstance(block, Text))
    return [replace(message, content=texts, stop_reason="stop", error_message=None)]
