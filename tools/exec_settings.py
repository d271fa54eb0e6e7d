"""Reads `tools.exec` for tools, which must not fail because a row could not be read."""

from __future__ import annotations

from dataclasses import replace

import structlog
from django.conf import settings as django_settings

from agents.config.registry import section
from agents.core.tools import ToolContext
from agents.database import run_db
from tools.builtin.exec.settings import ExecSettings
from tools.exec_schema import ExecDocument

log = structlog.get_logger(__name__)

# The newest settings, for the event loop: there the rows cannot be read.
_newest = [ExecSettings()]


def exec_settings_read() -> ExecSettings:
    """The settings in force. Queries nothing when they were read a moment ago."""
    stated: ExecDocument = section("tools").exec
    _newest[0] = ExecSettings(
        patch_enabled=stated.apply_patch.enabled,
        patch_workspace_only=stated.apply_patch.workspace_only,
        patch_models=tuple(stated.apply_patch.allow_models),
        background_seconds=stated.background_ms / 1000,
        timeout_seconds=float(stated.timeout_sec),
        kept_seconds=stated.cleanup_ms / 1000,
    )
    return _newest[0]


def exec_settings_known(context: ToolContext) -> ExecSettings:
    """The same without waiting: what the turn states, else what was read last. Never raises."""
    stated = context.settings.get("exec")
    if isinstance(stated, ExecSettings):
        return stated
    try:
        return exec_settings_read()
    except Exception:  # noqa: BLE001 - on an event loop, or without a database
        return _newest[0]


async def exec_settings(context: ToolContext) -> ExecSettings:
    """The settings of a call, read anew when they have become old. Never raises.

    When they cannot be read, the newest that are known hold; patches then stay in the workspace.
    """
    stated = context.settings.get("exec")
    if isinstance(stated, ExecSettings):
        return stated
    if django_settings.configured:
        try:
            return await run_db(exec_settings_read)
        except Exception as error:  # noqa: BLE001 - a command needs no database
            log.warning("exec_settings_not_read", error=str(error))
    # What may have been forbidden meanwhile must not go on being allowed.
    return replace(_newest[0], patch_workspace_only=True)
