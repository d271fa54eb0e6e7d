"""Asks before dangerous calls once a turn has read what came from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from django.utils.translation import gettext as _

from agents.config.sections.outside_schema import OutsideContent
from agents.core.messages import ToolCall
from agents.core.tools import Allow, Deny, Park, ToolContext, ToolGate, ToolResult, Verdict
from agents.core.untrusted import one_line
from agents.database import run_db
from sessions.models import ToolCall as ToolCallRow
from sessions.turns.turn import Turn
from tools.danger import call_dangerous
from tools.outside_settings import outside_settings

Observer = Callable[[ToolCall, ToolResult], ToolResult]

# The key of a result's details that says that its content is not the product's own.
EXTERNAL = "externalContent"
# Sources that a question names; more would not be read.
_SHOWN = 5
# Calls of a turn whose sources are looked at, the newest ones.
_LOOKED_AT = 500
_ABOUT = ("finalUrl", "url", "query", "path", "server")


@dataclass(frozen=True, slots=True)
class Source:
    """Where content came from: the product's own name for it, the tool, and which page or file."""

    name: str
    tool: str
    about: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.about})" if self.about else self.name


class OutsideGate:
    """A ToolGate that parks dangerous calls, also allowed ones, after content from outside.

    It looks at every result through `observing`. The content of a turn that another worker began
    is found in the rows of its calls, so a restart forgets nothing.
    """

    def __init__(self, gate: ToolGate, settings: OutsideContent, turn: Turn) -> None:
        self._gate = gate
        self._settings = settings
        self._turn = turn
        self._sources: dict[Source, None] = {}
        # Only these have content that this object did not see come in.
        self._unread = turn.resumed or settings.remember == "conversation"

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        """The inner gate's verdicts; what it allows and could do harm has to be asked for."""
        verdicts = await self._gate.judge(calls, context)
        if self._settings.mode == "off":
            return verdicts
        return [
            await self._judge(call, verdict, context)
            for call, verdict in zip(calls, verdicts, strict=True)
        ]

    def observing(self, observe: Observer) -> Observer:
        """`observe`, and after it a look at where the content of the result came from."""

        def look(call: ToolCall, result: ToolResult) -> ToolResult:
            result = observe(call, result)
            self._note(call.name, result.details)
            return result

        return look

    async def _judge(self, call: ToolCall, verdict: Verdict, context: ToolContext) -> Verdict:
        if isinstance(verdict, Deny) or not self._dangerous(call, verdict, context):
            return verdict
        sources = await self._known()
        if not sources:
            return verdict
        if not context.attended:
            return verdict if self._settings.unattended == "allow" else Deny(_denial(sources))
        if self._settings.mode == "deny":
            return Deny(_denial(sources))
        return _parked(call, verdict, sources)

    def _dangerous(self, call: ToolCall, verdict: Allow | Park, context: ToolContext) -> bool:
        if verdict.arguments is not None:
            call = replace(call, arguments=verdict.arguments)
        return call_dangerous(call, context, self._settings.also_dangerous)

    async def _known(self) -> list[Source]:
        if self._unread:
            self._unread = False
            whole = self._settings.remember == "conversation"
            for tool, details in await run_db(_outside_details, self._turn, whole):
                self._note(tool, details)
        return list(self._sources)

    def _note(self, tool: str, details: Mapping[str, Any]) -> None:
        source = source_of(tool, details)
        if source is None:
            return
        trusted = self._settings.trusted_sources
        if not any(fnmatchcase(source.name, pattern) for pattern in trusted):
            self._sources[source] = None


def outside_gate(turn: Turn, gate: ToolGate) -> OutsideGate:
    """The gate of a turn by the agent's settings."""
    stated = turn.snapshot.settings.get("tools") if turn.snapshot else None
    return OutsideGate(gate, outside_settings(agent_tools=stated), turn)


def source_of(tool: str, details: Mapping[str, Any]) -> Source | None:
    """Where a result with these details came from; None for the product's own content. Pure."""
    stated = details.get(EXTERNAL)
    if not isinstance(stated, Mapping) or not stated.get("untrusted"):
        return None
    about = next((str(details[name]) for name in _ABOUT if details.get(name)), "")
    return Source(one_line(str(stated.get("source") or tool), 120), tool, one_line(about, 200))


def _outside_details(turn: Turn, whole: bool) -> list[tuple[str, Mapping[str, Any]]]:
    """Tools and details of the calls that brought content, of the turn or its conversation."""
    calls = ToolCallRow.objects.filter(details__externalContent__untrusted=True)
    if whole:
        calls = calls.filter(run__transcript_id=turn.transcript_id)
    else:
        calls = calls.filter(run_id=turn.run.pk)
    newest = calls.order_by("-id").values_list("name", "details")[:_LOOKED_AT]
    return [(name, details) for name, details in reversed(list(newest))]


def _parked(call: ToolCall, verdict: Allow | Park, sources: Sequence[Source]) -> Park:
    why = reason_text(call.name, sources)
    named = [str(source) for source in sources[-_SHOWN:]]
    if isinstance(verdict, Park):
        # One question holds both reasons. What outside content led to is never allowed for good,
        # nor by a hook for which no answer is a yes.
        facts = {key: fact for key, fact in verdict.facts.items() if key != "timeoutBehavior"}
        return replace(
            verdict,
            reason=f"{verdict.reason} {why}".strip(),
            facts={**facts, "outside": named},
            decisions=tuple(one for one in verdict.decisions if one != "allow-always"),
        )
    return Park(
        ref="",
        arguments=verdict.arguments,
        reason=why,
        kind="outside",
        facts={"outside": named},
        decisions=("allow-once", "deny"),
    )


def reason_text(tool: str, sources: Sequence[Source]) -> str:
    """Why a person is asked about a call that the rules allow."""
    text = _(
        "This turn has read content from outside: %(sources)s. It may have talked the agent into "
        "calling %(tool)s."
    )
    return text % {"sources": _named(sources), "tool": tool}


def _named(sources: Sequence[Source]) -> str:
    shown = ", ".join(str(source) for source in sources[-_SHOWN:])
    return shown if len(sources) <= _SHOWN else f"{shown}, …"


def _denial(sources: Sequence[Source]) -> str:
    return (
        "Denied by the rule 'outside content': after content from outside "
        f"({_named(sources)}) such calls are refused here. An administrator can change "
        "tools.outsideContent."
    )
