"""Videos that are being made: one file each, so that every worker finds them after a restart."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

import orjson
import structlog
from django.conf import settings

from agents.core.errors import ToolError

log = structlog.get_logger(__name__)

# Seconds. Services forget what they made within days; nobody waits for a video longer than one.
GIVEN_UP_AFTER = 24 * 3600
FORGOTTEN_AFTER = 7 * 24 * 3600
_ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class VideoJob:
    """One video. `job` is the service's name of it, `model` provider/model, `credential` the id.

    `run_id` is of the turn that began it for `person`. `seen` says that an agent or its session was
    told of the end. Times are seconds since the epoch.
    """

    id: str
    job: str
    model: str
    credential: str
    agent: str
    person: str
    session_key: str
    run_id: str
    workspace: str
    name: str = ""
    prompt: str = ""
    state: Literal["working", "done", "failed"] = "working"
    paths: tuple[str, ...] = ()
    reason: str = ""
    seen: bool = False
    created: float = field(default_factory=time.time)

    @property
    def is_open(self) -> bool:
        """Whether somebody has to look after it still."""
        return self.state == "working" or not self.seen


def job_id() -> str:
    """A name for a new job that nobody can guess."""
    return secrets.token_hex(_ID_BYTES)


def jobs_folder() -> Path:
    """Where the files are."""
    return Path(settings.OPENCLAW.home) / "media-jobs"


def job_store(job: VideoJob) -> None:
    """Writes a job in one step. Raises OSError."""
    folder = jobs_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = folder / f".{job.id}.{secrets.token_hex(4)}"
    temporary.write_bytes(orjson.dumps(asdict(job)))
    temporary.replace(folder / f"{job.id}.json")


def jobs_all() -> list[VideoJob]:
    """Every job that is known, oldest first. Files that cannot be read are passed over."""
    found = [_read(path) for path in sorted(jobs_folder().glob("*.json"))]
    return sorted((job for job in found if job is not None), key=lambda job: job.created)


def job_find(identifier: str, *, agent: str, person: str) -> VideoJob:
    """The job of this agent and person. Raises ToolError when they have none of that name."""
    for job in jobs_all():
        if job.id == identifier and (job.agent, job.person) == (agent, person):
            return job
    raise ToolError(f"jobId: there is no video {identifier!r}; action list names them.")


def job_forget(job: VideoJob) -> None:
    """Removes what is known of a job; the video itself stays."""
    for ending in ("json", "lock"):
        (jobs_folder() / f"{job.id}.{ending}").unlink(missing_ok=True)


@contextmanager
def job_locked(job: VideoJob) -> Iterator[VideoJob | None]:
    """The job as it is now, for one process alone; None while another one looks after it."""
    jobs_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(jobs_folder() / f"{job.id}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield _read(jobs_folder() / f"{job.id}.json")
    finally:
        os.close(descriptor)


def job_seen(job: VideoJob) -> VideoJob:
    """The job with the note that its end was told."""
    seen = replace(job, seen=True)
    job_store(seen)
    return seen


def _read(path: Path) -> VideoJob | None:
    known = {one.name for one in fields(VideoJob)}
    try:
        stored: dict[str, Any] = orjson.loads(path.read_bytes())
        values = {name: value for name, value in stored.items() if name in known}
        return VideoJob(**{**values, "paths": tuple(values.get("paths", ()))})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        log.warning("video_job_unreadable", file=path.name, error=str(error))
        return None
