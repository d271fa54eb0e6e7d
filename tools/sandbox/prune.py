"""Removes containers that nobody has used for long, or that are old; never one that is in use."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from agents.config.sections.sandbox_schema import SandboxPrune
from agents.core.errors import OpenClawError
from agents.database import write_transaction
from agents.selectors import agent_defaults, agent_snapshot
from tools.models import SandboxContainer
from tools.sandbox.choice import LABEL_CREATED, sandbox_settings
from tools.sandbox.containers import (
    IN_USE_SECONDS,
    container_busy,
    container_find,
    containers_ours,
)
from tools.sandbox.engine import EngineMissing, engine_errors
from tools.sandbox.ready import container_lock, home_folder

if TYPE_CHECKING:
    from docker.models.containers import Container

log = structlog.get_logger(__name__)


def sandboxes_prune() -> int:
    """How many containers were removed. Asks the engine only when there are rows; without an
    engine it is none."""
    try:
        return _pruned() if SandboxContainer.objects.exists() else 0
    except EngineMissing:
        return 0


def _pruned() -> int:
    now = time.time()
    removed = 0
    for container in containers_ours(home_folder()):
        name = str(container.name)
        if container_remove(name, unless=lambda one, row: not _is_due(one, row, now)):
            removed += 1
    _rows_clean()
    return removed


def container_remove(
    name: str, *, unless: Callable[[Container, SandboxContainer | None], bool] | None = None
) -> bool:
    """Removes a container and its row; whether it did. Blocking.

    Not one in which a command runs, nor one that is being made or looked for at this moment, nor
    one for which `unless` says so, which is asked when nobody else may touch it. Raises ToolError.
    """
    with container_lock(name) as mine, engine_errors():
        container = container_find(name) if mine else None
        if container is None:
            return False
        row = SandboxContainer.objects.filter(name=name).first()
        if container_busy(container) or (unless is not None and unless(container, row)):
            return False
        container.remove(force=True, v=True)
        with write_transaction():
            SandboxContainer.objects.filter(name=name).delete()
    log.info("sandbox_removed", container=name)
    return True


def is_due(settings: SandboxPrune, *, idle: float, age: float) -> bool:
    """Whether a container may go that was idle for so many seconds and is so old. 0: never."""
    if idle < IN_USE_SECONDS:
        return False
    too_idle = settings.idle_hours > 0 and idle > settings.idle_hours * 3_600
    return too_idle or (settings.max_age_days > 0 and age > settings.max_age_days * 86_400)


def _is_due(container: Container, row: SandboxContainer | None, now: float) -> bool:
    created = float(container.labels.get(LABEL_CREATED) or 0) / 1000
    used = row.last_used_at.timestamp() if row else created
    settings = _settings(row.agent_slug if row else "")
    return is_due(settings, idle=now - used, age=now - created)


def _settings(agent: str) -> SandboxPrune:
    try:
        stated = agent_snapshot(slug=agent).settings.get("sandbox") if agent else None
    except OpenClawError:
        stated = None  # the agent is gone or switched off
    if stated is None:
        return agent_defaults().sandbox.prune
    return sandbox_settings(stated)[0].prune


def _rows_clean() -> None:
    """Forgets containers that somebody else removed."""
    there = {container.name for container in containers_ours(Path(home_folder()))}
    gone = [
        name
        for name in SandboxContainer.objects.values_list("name", flat=True)
        if name not in there
    ]
    for name in gone:
        with container_lock(name) as mine, engine_errors():
            if mine and container_find(name) is None:
                with write_transaction():
                    SandboxContainer.objects.filter(name=name).delete()
