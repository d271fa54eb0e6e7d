"""The commands that are kept under `background` in the gateway's home. Blocking."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from agents.core.errors import ToolError
from tools.background.job import Job, Spec, job_read, spec_write
from tools.background.names import name_new, name_valid

# Commands of one agent that run in the background at the same time.
MOST_RUNNING = 32
# Ended ones of one agent that can still be asked about.
MOST_ENDED = 64
# A folder without a state after this many seconds was left by a start that broke off.
_STILLBORN_SECONDS = 60.0
_TRIES = 20


def jobs_folder() -> Path:
    """Where they are kept; 0700."""
    folder = Path(settings.OPENCLAW.home) / "background"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def job_make(spec: Spec, *, kept_seconds: float) -> Path:
    """A new folder for a command, its name the command's. Raises ToolError when too many run."""
    mine = [job for job in jobs_pruned(kept_seconds=kept_seconds) if job.spec.agent == spec.agent]
    if sum(job.running for job in mine) >= MOST_RUNNING:
        raise ToolError(
            f"{MOST_RUNNING} commands of this agent run in the background already. "
            "End some with the tool process (list, kill) first."
        )
    root = jobs_folder()
    for attempt in range(_TRIES):
        path = root / name_new(numbered=attempt > _TRIES // 2)
        try:
            path.mkdir(mode=0o700)
            spec_write(path, spec)
        except FileExistsError:
            continue
        except OSError as error:
            shutil.rmtree(path, ignore_errors=True)
            raise ToolError(f"command: could not be started: {error.strerror}.") from None
        return path
    raise ToolError("No name for the command was free. Try again.")


def jobs_all() -> Iterator[Job]:
    """Every command, oldest first, those that a turn still waits for included."""
    found = [job for path in jobs_folder().iterdir() if (job := job_read(path)) is not None]
    yield from sorted(found, key=lambda job: (job.state.started, job.name))


def jobs_pruned(*, kept_seconds: float) -> list[Job]:
    """The same, after those were dropped that ended more than `kept_seconds` ago, and the oldest
    ended ones of an agent that has too many of them."""
    kept: list[Job] = []
    ended: dict[str, int] = {}
    for job in reversed(list(jobs_all())):
        if job.running and not _stillborn(job):
            kept.append(job)
            continue
        ended[job.spec.agent] = ended.get(job.spec.agent, 0) + 1
        if _ended_before(job) > kept_seconds or ended[job.spec.agent] > MOST_ENDED:
            job_drop(job)
        else:
            kept.append(job)
    return kept[::-1]


def job_find(name: str) -> Job | None:
    """The command with that name, None when there is none."""
    return job_read(jobs_folder() / name) if name_valid(name) else None


def job_drop(job: Job) -> None:
    """Forgets a command and its output. Never one that runs: its runner would write on."""
    shutil.rmtree(job.path, ignore_errors=True)


def _stillborn(job: Job) -> bool:
    return job.status == "starting" and _age(job) > _STILLBORN_SECONDS


def _ended_before(job: Job) -> float:
    return time.time() - job.state.ended if job.state.ended else _age(job)


def _age(job: Job) -> float:
    with suppress(OSError):
        return time.time() - job.path.stat().st_mtime
    return 0.0
