"""Looks after videos that are being made: asks the service, keeps the file, tells the session."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import structlog

from agents.core.errors import ProviderError, ToolError
from agents.core.model import ModelInfo
from agents.credentials.credential import model_with
from agents.credentials.selectors import credentials_for
from agents.database import run_db
from agents.media.contracts import VideoMaker
from agents.media.registry import VIDEO_MAKERS
from tools.media.choice import made_by
from tools.media.files import media_lines, media_save
from tools.media.jobs import (
    FORGOTTEN_AFTER,
    GIVEN_UP_AFTER,
    VideoJob,
    job_forget,
    job_locked,
    job_seen,
    job_store,
    jobs_all,
)
from tools.media.places import WorkspacePlace
from tools.sinks import BACKGROUND_ENDED, BackgroundEnded

log = structlog.get_logger(__name__)

# A look at one job, its file included, takes this many seconds at most.
_SECONDS = 240.0
_PROMPT_SHOWN = 60


def videos_open() -> list[VideoJob]:
    """The jobs that somebody has to look after. Forgets those that ended a week ago."""
    found = []
    for job in jobs_all():
        if job.is_open:
            found.append(job)
        elif time.time() - job.created > FORGOTTEN_AFTER:
            job_forget(job)
    return found


def videos_look() -> int:
    """`videos_check` for callers without an event loop. Starts none while there is no job."""
    return asyncio.run(videos_check()) if videos_open() else 0


async def videos_check() -> int:
    """Looks at every open job once and tells what ended. Returns how many ended. Never raises."""
    ended = 0
    for job in await asyncio.to_thread(videos_open):
        try:
            now = await video_check(job)
            if now.state != "working" and not now.seen:
                await run_db(video_told, now)
                ended += 1
        except Exception:
            log.exception("video_not_checked", job=job.id)
    return ended


async def video_check(job: VideoJob) -> VideoJob:
    """The job after a look at the service; as it was while another process looks.

    Never raises for what the service does: what may pass is asked again by the next look.
    """
    with job_locked(job) as current:
        if current is None or current.state != "working":
            return current or job
        changed = await _looked(current)
        if changed != current:
            await asyncio.to_thread(job_store, changed)
        return changed


async def _looked(job: VideoJob) -> VideoJob:
    if time.time() - job.created > GIVEN_UP_AFTER:
        return replace(job, state="failed", reason="the service did not finish it within a day")
    try:
        maker, model = await run_db(_called, job)
        async with asyncio.timeout(_SECONDS):
            found = await maker.check(job.job, model)
    except (ProviderError, TimeoutError) as error:
        if isinstance(error, ProviderError) and error.reason in ("model_not_found", "format"):
            return replace(job, state="failed", reason=error.message)
        log.info("video_not_seen", job=job.id, error=str(error))
        return job
    except ToolError as error:
        return replace(job, state="failed", reason=error.message)
    if found.status == "failed":
        return replace(job, state="failed", reason=found.reason)
    if found.status == "working":
        return job
    try:
        place, files = WorkspacePlace(Path(job.workspace)), list(found.files)
        paths = await asyncio.to_thread(media_save, place, files, wanted=job.name, kind="video")
    except ToolError as error:
        return replace(job, state="failed", reason=error.message)
    return replace(job, state="done", paths=tuple(paths))


def _called(job: VideoJob) -> tuple[VideoMaker, ModelInfo]:
    """Who makes it, and the model with the credential that began it. Raises ToolError."""
    maker, model = made_by(VIDEO_MAKERS, job.model)
    found = credentials_for(model=model, agent=job.agent, preferred=job.credential)
    if not found:
        raise ToolError(f"there is no credential for {job.model} any more")
    same = [one for one in found if one.id == job.credential]
    return maker, model_with(model, (same or found)[0])


def video_told(job: VideoJob) -> None:
    """Tells the session that a video is there or will never be. Uses the database."""
    ended = BackgroundEnded(
        key=f"video:{job.id}",
        name=job.id,
        agent=job.agent,
        person=job.person,
        session_key=job.session_key,
        run_id=job.run_id,
        text=video_line(job),
    )
    for _name, sink in BACKGROUND_ENDED:
        sink(ended)
    job_seen(job)


def video_line(job: VideoJob) -> str:
    """What an agent is told of a job."""
    prompt = " ".join(job.prompt.split())
    about = prompt if len(prompt) <= _PROMPT_SHOWN else f"{prompt[:_PROMPT_SHOWN]}…"
    if job.state == "done":
        return f"The video {job.id} ({about}) is finished.\n{media_lines(list(job.paths))}"
    if job.state == "failed":
        return f"The video {job.id} ({about}) could not be made: {job.reason}"
    return f"The video {job.id} ({about}) is being made."
