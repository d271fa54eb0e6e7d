"""The tool `process`: looks after commands that exec left running in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from tools.arguments import number_argument, rename_aliases
from tools.background.endings import ending_seen, ending_withdraw
from tools.background.job import Job
from tools.background.jobs import job_find
from tools.builtin.process_actions import ACTIONS
from tools.builtin.process_calls import ProcessCall
from tools.builtin.process_poll import MOST_WAIT, poll
from tools.exec_settings import exec_settings

_DESCRIPTION = (
    "Look after commands that exec left running in the background. list: all of them. poll: new "
    "output, waits up to timeout ms for it. log: lines of the output (the last 200; offset and "
    "limit choose others). write: data to the input, eof closes it. submit: data and a line end. "
    "send-keys: literal text, hex bytes and keys such as Enter, C-c, Up, in this order. paste: "
    "text as one piece. kill: end it with all it started. clear: forget it, or all that ended. "
    "remove: kill and forget."
)


def _texts(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["poll", *ACTIONS]},
        "sessionId": {"type": "string", "description": "Name that exec gave, such as amber-fox."},
        "data": {"type": "string", "description": "write, submit: the input."},
        "eof": {"type": "boolean", "description": "write: no more input will come."},
        "keys": _texts("send-keys: names of keys."),
        "hex": _texts("send-keys: bytes such as 1b."),
        "literal": {"type": "string", "description": "send-keys: text."},
        "text": {"type": "string", "description": "paste: the text."},
        "bracketed": {"type": "boolean", "description": "paste: marked as such; default true."},
        "offset": {"type": "integer", "minimum": 1, "description": "log: first line, from 1."},
        "limit": {"type": "integer", "minimum": 1, "description": "log: most lines."},
        "timeout": {
            "type": "integer",
            "minimum": 0,
            "maximum": MOST_WAIT,
            "description": "poll: milliseconds to wait for news; default 0.",
        },
    },
    "required": ["action"],
    "additionalProperties": False,
}
_ENDED = ("completed", "failed", "lost")
_ALIASES: Mapping[str, str] = {"session_id": "sessionId", "session": "sessionId"}


class ProcessTool:
    """Reads, feeds and ends commands in the background, those of the same agent and sender only."""

    name = "process"
    label = "Background commands"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    repeatable = False
    execution: Literal["parallel", "sequential"] = "sequential"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments with `sessionId` in place of its aliases."""
        return rename_aliases(arguments, _ALIASES)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """What the action found or did. Raises ToolError for what cannot be."""
        settings = await exec_settings(context)
        call = ProcessCall(self.prepare(arguments), context, settings.kept_seconds)
        action = str(call.arguments.get("action") or "")
        if action in ("clear", "remove"):
            await _seen(await asyncio.to_thread(_ended_jobs, call))
        result = await self._acted(action, call, signal)
        await _seen(await asyncio.to_thread(_shown_jobs, result.details))
        return result

    async def _acted(self, action: str, call: ProcessCall, signal: AbortSignal) -> ToolResult:
        if action == "poll":
            wait = number_argument(call.arguments, "timeout", 0, low=0)
            return await poll(call, min(wait, MOST_WAIT) / 1000, signal)
        if action not in ACTIONS:
            known = ", ".join(("poll", *ACTIONS))
            raise ToolError(f"action: {action!r} is unknown; use one of {known}.")
        return await asyncio.to_thread(ACTIONS[action], call)


def _ended_jobs(call: ProcessCall) -> list[Job]:
    """The commands that a call may forget; their ends need not be announced any more."""
    jobs = [call.job()] if call.arguments.get("sessionId") else call.jobs()
    return [job for job in jobs if ending_seen(job)]


def _shown_jobs(details: Mapping[str, Any]) -> list[Job]:
    """Those of a result whose ends were announced before the agent saw them here."""
    shown = (details, *details.get("sessions", ()))
    ended = [each["sessionId"] for each in shown if each.get("status") in _ENDED]
    found = (job_find(name) for name in ended)
    return [job for job in found if job is not None and ending_seen(job)]


async def _seen(jobs: Sequence[Job]) -> None:
    for job in jobs:
        await run_db(ending_withdraw, job)


PROCESS = ProcessTool()
