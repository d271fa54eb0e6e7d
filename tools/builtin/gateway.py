"""The tool `gateway`: the gateway's own configuration, and its restart. For owners only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from agents.config.issues import ConfigReport
from agents.core.abort import AbortSignal
from agents.core.clean_text import clean_text
from agents.core.errors import PolicyDenied, ToolError, UserError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from tools.arguments import number_argument, text_argument
from tools.builtin.gateway_config import config_read, config_write, schema_lookup
from tools.builtin.gateway_restart import restart_ask, restart_check, restart_note_write

# Milliseconds until a restart begins: the result of the call is stored before.
RESTART_DELAY, MOST_DELAY = 2_000, 60_000
_LONGEST_NOTE = 500
_ACTIONS = ("config.schema.lookup", "config.get", "config.patch", "config.apply", "restart")

_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": list(_ACTIONS)},
        "path": {
            "type": "string",
            "description": "config.schema.lookup, config.get: a place such as "
            "agents.list[0].model; empty for the whole.",
        },
        "raw": {
            "type": "string",
            "description": "config.patch: a JSON5 merge patch, null removes a key, lists of items "
            "with an id are merged by it. config.apply: the whole document.",
        },
        "baseHash": {
            "type": "string",
            "description": "config.patch, config.apply: the hash that config.get gave.",
        },
        "note": {
            "type": "string",
            "maxLength": _LONGEST_NOTE,
            "description": "Why; for a restart it is told you afterwards.",
        },
        "delayMs": {
            "type": "integer",
            "minimum": 0,
            "maximum": MOST_DELAY,
            "description": f"restart: milliseconds until it begins; default {RESTART_DELAY}.",
        },
    },
    "required": ["action"],
    "additionalProperties": False,
}

# Restarts that were asked for, so that the loop does not lose them.
_timers: set[asyncio.TimerHandle] = set()


class GatewayTool:
    """Reads and changes the configuration as far as agents may, and restarts the processes."""

    name = "gateway"
    label = "Gateway"
    description = (
        "Look at and change the configuration of this gateway, or restart it. Look a key up with "
        "config.schema.lookup before you write it; take the hash of config.get as baseHash. "
        "Secrets are never shown. Settings about rights, people, credentials and programs can "
        "only be changed by a person."
    )
    parameters = _PARAMETERS
    repeatable = False
    execution: Literal["parallel", "sequential"] = "sequential"

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """What the action found or did. Raises ToolError for what cannot be or may not be."""
        # The policy says so, too; this holds whatever it is changed to.
        if not context.principal.is_owner:
            raise ToolError("gateway: only an owner's messages may use it.")
        action = text_argument(arguments, "action")
        try:
            if action == "restart":
                return await _restart(arguments, context)
            if action not in _DATABASE_ACTIONS:
                known = ", ".join(_ACTIONS)
                raise ToolError(f"action: {action!r} is unknown; use one of {known}.")
            return await run_db(_DATABASE_ACTIONS[action], arguments, context)
        except (UserError, PolicyDenied) as error:
            raise ToolError(error.message, details={"code": error.code}) from error


GATEWAY = GatewayTool()


def _lookup(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    return _json(schema_lookup(_optional(arguments, "path")))


def _get(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    return _json(config_read(_optional(arguments, "path")))


def _patch(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    return _written(arguments, context, patch=True)


def _apply(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    return _written(arguments, context, patch=False)


_DATABASE_ACTIONS: Mapping[str, Callable[[Mapping[str, Any], ToolContext], ToolResult]] = {
    "config.schema.lookup": _lookup,
    "config.get": _get,
    "config.patch": _patch,
    "config.apply": _apply,
}


def _written(arguments: Mapping[str, Any], context: ToolContext, *, patch: bool) -> ToolResult:
    report = config_write(
        raw=text_argument(arguments, "raw"),
        base_hash=_optional(arguments, "baseHash"),
        patch=patch,
        author=f"agent {context.agent_id} for {context.principal.name}",
        note=_note(arguments),
    )
    return ToolResult.text(
        _report(report),
        changed=report.changed,
        revision=report.revision,
        warnings=[str(issue) for issue in report.warnings],
    )


def _report(report: ConfigReport) -> str:
    done = "Nothing changed: it was so already."
    if report.changed:
        done = f"Done. The configuration before is kept as number {report.revision}."
    return "\n".join([done, *(f"Warning: {issue}" for issue in report.warnings)])


async def _restart(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    delay = min(number_argument(arguments, "delayMs", RESTART_DELAY, low=0), MOST_DELAY)
    supervisor = await run_db(restart_check)
    note = _note(arguments)
    text = "The gateway was restarted" + (f": {note}" if note else ".")
    await asyncio.to_thread(
        restart_note_write, session_key=context.session_key, run_id=context.run_id, text=text
    )
    _later(delay / 1000, supervisor)
    return ToolResult.text(
        f"The gateway restarts in {delay / 1000:g} s. This conversation goes on by itself, and you "
        "are told when it is done.",
        delayMs=delay,
    )


def _later(seconds: float, supervisor: int) -> None:
    def ask() -> None:
        _timers.discard(timer)
        restart_ask(supervisor)

    timer = asyncio.get_running_loop().call_later(seconds, ask)
    _timers.add(timer)


def _json(found: Mapping[str, Any]) -> ToolResult:
    return ToolResult.text(json.dumps(found, ensure_ascii=False, indent=1))


def _note(arguments: Mapping[str, Any]) -> str:
    return " ".join(clean_text(_optional(arguments, "note")).split())[:_LONGEST_NOTE]


def _optional(arguments: Mapping[str, Any], name: str) -> str:
    return text_argument(arguments, name) if arguments.get(name) is not None else ""
