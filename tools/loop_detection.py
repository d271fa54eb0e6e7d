"""Notices when an agent goes round in circles. Pure: it sees calls and results, and tells.

The numbers count identical calls, the present one included, so far as each brought the same
result: with the defaults the tenth brings a hint, the twentieth is not run, the thirtieth ends
the turn. Not run ones count on, or nothing would ever end a model that does not listen. What
counts as the same:

- repeat: the same tool, arguments and result, also with other calls between;
- poll: the same for calls that only ask how something is going (runtime.md 6);
- ping-pong: two to four calls in a fixed round, each with its same result;
- unknown tool: names that do not exist, ten of them in a row;
- after a compaction: its first three calls all the same. The model has forgotten that it tried.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolResultMessage, UserMessage
from agents.core.tools import ToolResult
from tools.loop_signatures import call_signature, is_poll, result_signature

Detector = Literal["repeat", "poll", "ping_pong", "unknown_tool", "after_compaction"]
Level = Literal["warn", "block", "break"]

DENIED_REASON = "tool-loop"
# Beyond this many signatures the oldest warnings are forgotten (runtime.md 6).
MOST_SIGNATURES = 256
_ROUNDS = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """The thresholds, with the reference's numbers. `post_compaction` 0 switches that guard off."""

    enabled: bool = True
    history_size: int = 30
    warning: int = 10
    block: int = 20
    breaker: int = 30
    unknown_tool: int = 10
    post_compaction: int = 3
    repeat: bool = True
    poll: bool = True
    ping_pong: bool = True

    def ordered(self) -> LoopSettings:
        """The same with warning < block < breaker, however they were written."""
        warning = max(1, self.warning)
        block = max(warning + 1, self.block)
        return replace(self, warning=warning, block=block, breaker=max(block + 1, self.breaker))


@dataclass(frozen=True, slots=True)
class Finding:
    """What was noticed about one call. `count` is its number in the row of identical ones."""

    detector: Detector
    level: Level
    tool: str
    count: int


@dataclass(frozen=True, slots=True)
class _Record:
    call: str
    result: str


class LoopDetector:
    """The calls of one run. `known` has the names of the tools that there are.

    `judge` before a call may run, `observe` when its result is there, both in order of the calls.
    """

    def __init__(self, settings: LoopSettings, known: Container[str]) -> None:
        self._settings = settings.ordered()
        self._known = known
        length = max(self._settings.history_size, self._settings.breaker)
        self._history: deque[_Record] = deque(maxlen=length)
        self._pending: Counter[str] = Counter()
        self._blocked: set[str] = set()
        self._warned: dict[str, int] = {}
        self._unknown = 0
        self._after: list[_Record] | None = None

    def judge(self, call: ToolCall) -> Finding | None:
        """What speaks against running the call: block or break. None: it may run."""
        signature = call_signature(call.name, call.arguments)
        found = self._find(call, signature, self._pending[signature] + 1)
        if found is None or found.count < self._settings.block:
            self._pending[signature] += 1
            return None
        self._blocked.add(call.id)
        self._history.append(_Record(signature, self._last_result(signature)))
        level: Level = "break" if found.count >= self._settings.breaker else "block"
        return replace(found, level=level)

    def observe(self, call: ToolCall, result: ToolResult) -> Finding | None:
        """What the result shows: warn (a hint is due) or break. None for a call just blocked."""
        if call.id in self._blocked:
            self._blocked.discard(call.id)
            return None
        signature = call_signature(call.name, call.arguments)
        if self._pending[signature] > 0:
            self._pending[signature] -= 1
        record = _Record(signature, result_signature(result))
        self._history.append(record)
        return self._unknown_name(call) or self._guard(call, record) or self._row(call, signature)

    def was_blocked(self, call_id: str) -> bool:
        """Whether this call was refused here and its result has not been observed yet."""
        return call_id in self._blocked

    def compacted(self) -> None:
        """The history was summarised: the next calls show whether the model begins again."""
        self._after = [] if self._settings.post_compaction > 0 else None

    def replay(self, messages: Sequence[Message]) -> None:
        """Takes in what a run did before it was interrupted, from its part of the transcript."""
        calls: dict[str, ToolCall] = {}
        for message in messages:
            if isinstance(message, UserMessage):
                calls.clear()
            elif isinstance(message, AssistantMessage):
                calls |= {call.id: call for call in message.tool_calls}
            elif call := calls.get(message.tool_call_id):
                self._replay(call, message)

    def _replay(self, call: ToolCall, message: ToolResultMessage) -> None:
        details = message.details or {}
        if details.get("deniedReason") == DENIED_REASON:
            signature = call_signature(call.name, call.arguments)
            self._history.append(_Record(signature, self._last_result(signature)))
            return
        self.observe(call, ToolResult(message.content, details, message.is_error))

    def _find(self, call: ToolCall, signature: str, more: int) -> Finding | None:
        """The longest row that the call, and `more - 1` like it, would add to."""
        detector: Detector = "poll" if is_poll(call.name, call.arguments) else "repeat"
        enabled = self._settings.poll if detector == "poll" else self._settings.repeat
        found: list[Finding] = []
        if enabled and (streak := self._streak(signature)):
            found.append(Finding(detector, "warn", call.name, streak + more))
        if self._settings.ping_pong and (length := self._round(signature, more)):
            found.append(Finding("ping_pong", "warn", call.name, length))
        if not found and enabled and more > 1:
            found.append(Finding(detector, "warn", call.name, more))
        return max(found, key=lambda one: one.count, default=None)

    def _row(self, call: ToolCall, signature: str) -> Finding | None:
        found = self._find(call, signature, 0)
        if found is None or found.count < self._settings.warning:
            return None
        if found.count >= self._settings.breaker:
            return replace(found, level="break")
        bucket = found.count // self._settings.warning
        if self._warned.get(signature, 0) >= bucket:
            return None
        self._warned.pop(signature, None)
        self._warned[signature] = bucket
        if len(self._warned) > MOST_SIGNATURES:
            self._warned.pop(next(iter(self._warned)))
        return found

    def _streak(self, signature: str) -> int:
        """How many of the newest calls of this signature had the result of the newest."""
        count, result = 0, None
        for record in reversed(self._history):
            if record.call != signature:
                continue
            if result is not None and record.result != result:
                break
            result = record.result
            count += 1
        return count

    def _last_result(self, signature: str) -> str:
        newest = (one.result for one in reversed(self._history) if one.call == signature)
        return next(newest, "")

    def _round(self, signature: str, more: int) -> int:
        """The length of the round at the end of the history, the call itself included."""
        records = list(self._history)
        if more:
            records.append(_Record(signature, self._last_result(signature)))
        return max((_round_length(records, period) for period in _ROUNDS), default=0)

    def _unknown_name(self, call: ToolCall) -> Finding | None:
        if call.name in self._known:
            self._unknown = 0
            return None
        self._unknown += 1
        if self._unknown < self._settings.unknown_tool:
            return None
        return Finding("unknown_tool", "break", call.name, self._unknown)

    def _guard(self, call: ToolCall, record: _Record) -> Finding | None:
        if self._after is None or is_poll(call.name, call.arguments):
            return None
        self._after.append(record)
        if len(set(self._after)) > 1:
            self._after = None
        elif len(self._after) >= self._settings.post_compaction:
            return Finding("after_compaction", "break", call.name, len(self._after))
        return None


def _round_length(records: Sequence[_Record], period: int) -> int:
    """How many of the last records repeat the `period` before them, at least two whole rounds."""
    tail = records[-period:]
    if len(records) < 2 * period or len({one.call for one in tail}) != period:
        return 0
    length = period
    while length < len(records) and records[-length - 1] == records[-length - 1 + period]:
        length += 1
    return length if length >= 2 * period else 0


_WHAT: Mapping[Detector, str] = {
    "repeat": "the same arguments and the same result",
    "poll": "nothing new to report",
    "ping_pong": "the same few calls in turn, each with the same result",
    "unknown_tool": "no such tool",
    "after_compaction": "the same arguments and the same result",
}


def hint_text(finding: Finding) -> str:
    """What the model reads below the result of a call that begins to look like a loop."""
    return (
        f"[Loop check: this is call {finding.count} of {finding.tool} in a row with "
        f"{_WHAT[finding.detector]}. Calling it again unchanged will not help. Change the "
        "arguments, try another way, or answer with what you have.]"
    )


def denial_text(finding: Finding) -> str:
    """The answer to a call that is not run."""
    return (
        f"Not run: this would be call {finding.count} of {finding.tool} in a row with "
        f"{_WHAT[finding.detector]}. Do something else, or stop and say what you found. "
        "If you go on like this, the turn will be ended."
    )


def finding_details(finding: Finding) -> dict[str, Any]:
    """What the record of a refused call keeps."""
    return {
        "status": "denied",
        "deniedReason": DENIED_REASON,
        "detector": finding.detector,
        "count": finding.count,
    }
