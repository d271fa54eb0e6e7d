"""Loop detection within a turn: a gate around the rules, and an eye on every result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from agents.core.abort import AbortSignal
from agents.core.messages import Text, ToolCall
from agents.core.tools import Allow, Deny, Tool, ToolContext, ToolGate, ToolResult, Verdict
from sessions.context.compaction import Outcome
from sessions.turns.turn import Turn
from tools.loop_detection import (
    Finding,
    LoopDetector,
    denial_text,
    finding_details,
    hint_text,
)
from tools.loop_settings import loop_settings


class LoopWatch:
    """A ToolGate that refuses what goes round in circles, and the loop's observer of results.

    When the turn has to end for it, its `failure` says why and the signal is aborted as
    `tool_loop`. A row of calls that begins to look like a loop is a warning of the run.
    `compaction` answers how the newest compaction of the turn ended, None without any.
    """

    def __init__(
        self,
        gate: ToolGate,
        detector: LoopDetector | None,
        turn: Turn,
        signal: AbortSignal,
        compaction: Callable[[], Outcome | None],
    ) -> None:
        self._gate = gate
        self._detector = detector
        self._turn = turn
        self._signal = signal
        self._compaction = compaction
        self._compacted: Outcome | None = None
        self._refused: dict[str, Finding] = {}

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        """The inner gate's verdicts; what it allows is refused when it only repeats."""
        self._look_for_compaction()
        verdicts = await self._gate.judge(calls, context)
        return [self._judge(call, verdict) for call, verdict in zip(calls, verdicts, strict=True)]

    def observe(self, call: ToolCall, result: ToolResult) -> ToolResult:
        """The result, with a hint below it when the call begins to look like a loop."""
        if self._detector is None:
            return result
        if refused := self._refused.pop(call.id, None):
            self._detector.observe(call, result)
            return replace(result, details={**result.details, **finding_details(refused)})
        found = self._detector.observe(call, result)
        if found is None or self._signal.aborted:
            return result
        if found.level == "break":
            self._end(found)
            return result
        self._turn.warnings.append(finding_text(found))
        return replace(result, content=(*result.content, Text(hint_text(found))))

    def _look_for_compaction(self) -> None:
        newest = self._compaction()
        if newest is self._compacted or newest is None:
            return
        self._compacted = newest
        if newest.done and self._detector is not None:
            self._detector.compacted()

    def _judge(self, call: ToolCall, verdict: Verdict) -> Verdict:
        if self._detector is None or not isinstance(verdict, Allow):
            return verdict
        if verdict.arguments is not None:
            call = replace(call, arguments=verdict.arguments)
        found = self._detector.judge(call)
        if found is None:
            return verdict
        self._refused[call.id] = found
        if found.level == "break":
            self._end(found)
        return Deny(denial_text(found))

    def _end(self, found: Finding) -> None:
        self._turn.failure = ended_text(found)
        self._signal.abort("tool_loop")


def loop_watch(
    turn: Turn,
    tools: Sequence[Tool],
    gate: ToolGate,
    signal: AbortSignal,
    compaction: Callable[[], Outcome | None],
) -> LoopWatch:
    """The watch of a turn by the agent's settings. A resumed turn goes on counting."""
    stated = turn.snapshot.settings.get("tools") if turn.snapshot else None
    settings = loop_settings(agent_tools=stated)
    detector = None
    if settings.enabled:
        detector = LoopDetector(settings, frozenset(tool.name for tool in tools))
        if turn.resumed:
            detector.replay(turn.history)
    return LoopWatch(gate, detector, turn, signal, compaction)


def finding_text(finding: Finding) -> str:
    """What whoever looks at the run reads."""
    values = {"tool": finding.tool, "count": finding.count}
    if finding.detector == "unknown_tool":
        return _("The agent called tools that do not exist %(count)d times.") % values
    if finding.detector == "ping_pong":
        return _("The agent made the same few calls in turn, %(count)d in all.") % values
    if finding.detector == "after_compaction":
        text = _(
            "After its history was summarised the agent called %(tool)s %(count)d times alike."
        )
        return text % values
    return _("The agent called %(tool)s %(count)d times with the same result.") % values


def ended_text(finding: Finding) -> str:
    """Why a turn was ended, for the person who waits for its answer."""
    values = {"what": finding_text(finding)}
    return _("The turn was ended because it went round in circles. %(what)s") % values
