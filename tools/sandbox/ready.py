"""Brings a turn its running sandbox, and keeps the gateway's row about it."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from agents.core.errors import ToolError
from agents.core.tools import ToolContext
from agents.database import run_db, write_transaction
from tools.models import SandboxContainer
from tools.sandbox.bridge import Bridge
from tools.sandbox.choice import SandboxPlan
from tools.sandbox.containers import Known, Ready, container_ready

# The time of the last use is written no more often than this, in seconds.
_TOUCH_SECONDS = 60.0
_LOCK_PAUSE_SECONDS = 0.05


def plan_of(context: ToolContext) -> SandboxPlan:
    """The sandbox of the turn. Raises ToolError when there is none to be used."""
    plan = context.settings.get("sandbox")
    if not isinstance(plan, SandboxPlan):
        raise ToolError("This turn belongs into a sandbox, but none was prepared. Nothing was run.")
    if plan.fault:
        raise ToolError(
            f"The sandbox settings of this agent cannot be used: {plan.fault}. Nothing was run, "
            "neither inside nor on the machine. An administrator can correct them."
        )
    return plan


async def sandbox_ready(plan: SandboxPlan) -> Ready:
    """The running container, made where needed, its use noted. Raises ToolError."""
    async with _locked(plan.name):
        row = await run_db(_row_read, plan.name)
        known = Known(row.config_hash, row.last_used_at.timestamp()) if row else None
        ready = await asyncio.to_thread(container_ready, plan, known, home=home_folder())
        if ready.is_new or row is None:
            await run_db(_row_write, plan, ready)
        elif timezone.now() - row.last_used_at > timedelta(seconds=_TOUCH_SECONDS):
            await run_db(_row_touch, plan.name)
    return ready


async def bridge_of(context: ToolContext) -> Bridge:
    """The files of the turn's sandbox. Raises ToolError."""
    plan = plan_of(context)
    ready = await sandbox_ready(plan)
    return Bridge(plan, ready.mounts)


def home_folder() -> Path:
    """OPENCLAW_HOME."""
    return Path(settings.OPENCLAW.home)


@contextmanager
def container_lock(name: str) -> Iterator[bool]:
    """Whether this one alone may make or remove the container; does not wait."""
    folder = home_folder() / "sandboxes" / ".locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


@asynccontextmanager
async def _locked(name: str) -> AsyncIterator[None]:
    # Tried again and again: a thread that waits could be the one that the holder needs.
    while True:
        with container_lock(name) as mine:
            if mine:
                yield
                return
        await asyncio.sleep(_LOCK_PAUSE_SECONDS)


def _row_read(name: str) -> SandboxContainer | None:
    return SandboxContainer.objects.filter(name=name).first()


def _row_write(plan: SandboxPlan, ready: Ready) -> None:
    facts = {
        "scope_key": plan.scope_key[:300],
        "agent_slug": "" if plan.config.scope == "shared" else plan.agent,
        "image": plan.config.docker.image,
        "config_hash": ready.config_hash,
        "created_at": timezone.now(),
        "last_used_at": timezone.now(),
    }
    with write_transaction():
        SandboxContainer.objects.update_or_create(name=plan.name, defaults=facts)


def _row_touch(name: str) -> None:
    with write_transaction():
        SandboxContainer.objects.filter(name=name).update(last_used_at=timezone.now())
