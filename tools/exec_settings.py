"""Reads `tools.exec` for tools, which must not fail because a row could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings as django_settings
from pydantic import ValidationError

from agents.config.cache import cached
from agents.config.registry import section
from agents.config.sections.exec_schema import ExecRules
from agents.core.errors import OpenClawError
from agents.core.tools import ToolContext
from agents.database import run_db
from agents.selectors import agent_snapshot
from tools.builtin.exec.settings import ExecSettings
from tools.exec_schema import ExecDocument

log = structlog.get_logger(__name__)

# The newest settings of each agent, for the event loop: there the rows cannot be read.
_newest: dict[str, ExecSettings] = {}


def exec_settings_read(agent: str = "") -> ExecSettings:
    """The settings in force for an agent. Queries nothing when they were read a moment ago."""
    settings = cached(("exec settings", agent), lambda: _settings_read(agent))
    _newest[agent] = settings
    return settings


def exec_rules_stated(agent: str) -> ExecRules:
    """The rules of `agents.list[].tools.exec` over those of `tools.exec`; None: nobody says so.

    An entry of an agent that became invalid allows nothing: its `security` is then deny.
    """
    stated: ExecDocument = section("tools").exec
    known = set(ExecRules.model_fields)
    base = {name: value for name, value in stated if name in known and value is not None}
    if not agent:
        return ExecRules.model_construct(**base)
    try:
        own = ExecRules.model_validate(agent_tools(agent).get("exec") or {})
    except ValidationError as error:
        log.error("exec_rules_invalid", agent=agent, problem=str(error))
        own = ExecRules(security="deny")
    said = {name: value for name, value in own if value is not None}
    return ExecRules.model_construct(**{**base, **said})


def agent_tools(agent: str) -> Mapping[str, Any]:
    """The object `tools` of an agent's entry, {} for an agent that cannot be read."""
    try:
        tools = agent_snapshot(slug=agent).settings.get("tools")
    except OpenClawError:
        return {}
    return tools if isinstance(tools, Mapping) else {}


def exec_settings_known(context: ToolContext) -> ExecSettings:
    """The same without waiting: what the turn states, else what was read last. Never raises."""
    stated = context.settings.get("exec")
    if isinstance(stated, ExecSettings):
        return stated
    try:
        return exec_settings_read(context.agent_id)
    except Exception:  # noqa: BLE001 - on an event loop, or without a database
        return _newest.get(context.agent_id, ExecSettings())


async def exec_settings(context: ToolContext) -> ExecSettings:
    """The settings of a call, read anew when they have become old. Never raises.

    When they cannot be read, the newest that are known hold; patches then stay in the workspace.
    """
    stated = context.settings.get("exec")
    if isinstance(stated, ExecSettings):
        return stated
    if django_settings.configured:
        try:
            return await run_db(exec_settings_read, context.agent_id)
        except Exception as error:  # noqa: BLE001 - a command needs no database
            log.warning("exec_settings_not_read", error=str(error))
    # What may have been forbidden meanwhile must not go on being allowed.
    return replace(_newest.get(context.agent_id, ExecSettings()), patch_workspace_only=True)


def _settings_read(agent: str) -> ExecSettings:
    stated: ExecDocument = section("tools").exec
    rules = exec_rules_stated(agent)
    notify = rules.notify_on_exit
    return ExecSettings(
        patch_enabled=stated.apply_patch.enabled,
        patch_workspace_only=stated.apply_patch.workspace_only,
        patch_models=tuple(stated.apply_patch.allow_models),
        background_seconds=stated.background_ms / 1000,
        timeout_seconds=float(stated.timeout_sec),
        kept_seconds=stated.cleanup_ms / 1000,
        path_prepend=folders(rules.path_prepend or ()),
        notify_on_exit=True if notify is None else notify,
        notify_on_success=bool(rules.notify_on_exit_empty_success),
    )


def folders(stated: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Paths of folders with ~ replaced."""
    return tuple(str(Path(path).expanduser()) for path in stated)
