"""Bringing the tables up to date before anything else starts."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from pathlib import Path

from openclaw_site.supervisor.child import ROOT
from openclaw_site.supervisor.console import Console
from openclaw_site.supervisor.migrations import fingerprint_make, is_current, stamp_write


async def command_run(*arguments: str) -> tuple[int, list[str]]:
    """Runs `manage.py` with `arguments`: exit code and lines of output."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "manage.py"),
        *arguments,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        cwd=ROOT,
        env=os.environ.copy(),
        process_group=0,
    )
    try:
        out, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    return process.returncode or 0, out.decode().splitlines()


async def migrate_if_needed(home: Path, console: Console) -> bool:
    """Brings the tables up to date. False, with the reason on the console, when it failed."""
    fingerprint = fingerprint_make()
    if is_current(home, fingerprint):
        return True
    console.line("migrate", "preparing the database")
    code, lines = await command_run("migrate", "--noinput", "--skip-checks", "-v", "0")
    if code:
        for text in lines:
            console.line("migrate", text)
        return False
    stamp_write(home, fingerprint)
    return True
