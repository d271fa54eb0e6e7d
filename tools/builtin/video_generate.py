"""The tool `video_generate`: begins a video; its session is told when it is there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from agents.media.contracts import MediaFile, VideoMaker, VideoOrder
from agents.media.registry import VIDEO_MAKERS
from agents.selectors import agent_defaults
from tools.arguments import number_argument, rename_aliases
from tools.media.choice import MediaSlot, slots_find
from tools.media.images import picture_fit
from tools.media.jobs import VideoJob, job_find, job_id, job_seen, job_store, jobs_all
from tools.media.making import first_made
from tools.media.places import folder_of, place_of
from tools.media.sources import SourceReader, sources_named
from tools.media.videos import video_check, video_line
from tools.net.hosts import Resolver, system_resolver
from tools.web.abortable import abortable

# runtime.md 4.8.
MOST_IMAGES = 9
_MOST_SECONDS = 60
_MOST_AT_ONCE = 4
_DEFAULT_MS, _MOST_MS = 120_000, 600_000
_SOURCE_BYTES = 20 * 1024 * 1024
_SIDE = 2048
_RATIO = re.compile(r"[1-9]\d{0,2}:[1-9]\d{0,2}\Z")
_RESOLUTIONS = ("360p", "720p", "1080p", "4k")
_DESCRIPTION = (
    "Begin a video from a description, and from pictures if they are given. It takes minutes: the "
    "call returns at once, and you are told when the file is in the workspace. Do not wait for it."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "action": {
            "type": "string",
            "enum": ["generate", "status", "list"],
            "description": "generate (default), status (of one video, with jobId), list.",
        },
        "prompt": {"type": "string", "description": "What happens in the video."},
        "image": {"type": "string", "description": "Path or address of a picture to begin with."},
        "images": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_IMAGES},
        "model": {"type": "string", "description": "Another model, as provider/model."},
        "filename": {"type": "string", "description": "What to call the file."},
        "aspectRatio": {"type": "string", "description": "Such as 16:9."},
        "resolution": {"type": "string", "enum": list(_RESOLUTIONS)},
        "durationSeconds": {"type": "integer", "minimum": 1, "maximum": _MOST_SECONDS},
        "timeoutMs": {"type": "integer", "minimum": 1000},
        "jobId": {"type": "string", "description": "For status: the video's id."},
    },
    "additionalProperties": False,
}
_ALIASES = {
    "aspect_ratio": "aspectRatio",
    "duration_seconds": "durationSeconds",
    "timeout_ms": "timeoutMs",
    "job_id": "jobId",
}


class VideoGenerateTool:
    """Begins videos. `resolver` finds the addresses of names."""

    name = "video_generate"
    label = "Make a video"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    # Each video is paid for.
    repeatable = False
    execution: Literal["parallel", "sequential"] = "parallel"

    def __init__(self, resolver: Resolver = system_resolver) -> None:
        self._resolver = resolver

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments in camel case."""
        return rename_aliases(arguments, _ALIASES)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The id of the video, or how videos fare. Raises ToolError."""
        arguments = self.prepare(arguments)
        action = arguments.get("action") or "generate"
        if action == "list":
            return _listed(await asyncio.to_thread(_own, context))
        if action == "status":
            name = str(arguments.get("jobId") or "")
            return await abortable(_status(name, context), signal)
        if action != "generate":
            raise ToolError(f"action: must be generate, status or list, got {action!r}.")
        working = [one for one in await asyncio.to_thread(_own, context) if one.state == "working"]
        if len(working) >= _MOST_AT_ONCE:
            raise ToolError(f"{len(working)} videos are being made already; wait for one of them.")
        order = await self._order(arguments, context, signal)
        return await _begun(order, arguments, context, signal)

    async def _order(
        self, arguments: Mapping[str, Any], context: ToolContext, signal: AbortSignal
    ) -> VideoOrder:
        given = sources_named(arguments, "image", "images", most=MOST_IMAGES)
        order = _order_read(arguments, ())
        if not given:
            return order
        place = await place_of(context)
        reader = SourceReader(place, signal, _SOURCE_BYTES, self._resolver)
        images = []
        for source in await reader.read_all(given, "image"):
            fitted = await asyncio.to_thread(picture_fit, source.data, side=_SIDE, name=source.name)
            images.append(MediaFile(fitted.data, fitted.mime_type))
        return _order_read(arguments, tuple(images))


VIDEO_GENERATE = VideoGenerateTool()


def _order_read(arguments: Mapping[str, Any], images: tuple[MediaFile, ...]) -> VideoOrder:
    prompt = arguments.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise ToolError("prompt: say what happens in the video.")
    ratio = arguments.get("aspectRatio") or ""
    if ratio and not (isinstance(ratio, str) and _RATIO.match(ratio)):
        raise ToolError(f"aspectRatio: must be W:H, such as 16:9, got {ratio!r}.")
    resolution = arguments.get("resolution") or ""
    if resolution and resolution not in _RESOLUTIONS:
        known = ", ".join(_RESOLUTIONS)
        raise ToolError(f"resolution: must be one of {known}, got {resolution!r}.")
    seconds = number_argument(arguments, "durationSeconds", 0, low=0)
    if seconds > _MOST_SECONDS:
        raise ToolError(f"durationSeconds: must be at most {_MOST_SECONDS}, got {seconds}.")
    return VideoOrder(prompt.strip(), images, str(ratio), str(resolution), seconds)


async def _begun(
    order: VideoOrder, arguments: Mapping[str, Any], context: ToolContext, signal: AbortSignal
) -> ToolResult:
    milliseconds = number_argument(arguments, "timeoutMs", _DEFAULT_MS, low=1_000)
    # Found before anything is paid for.
    folder = folder_of(context)
    slots = await run_db(_slots, str(arguments.get("model") or ""), context)
    name, slot = await first_made(
        slots,
        lambda one: one.maker.start(order, one.model),
        seconds=min(milliseconds, _MOST_MS) / 1000,
        signal=signal,
    )
    job = VideoJob(
        id=job_id(),
        job=name,
        model=slot.model.ref,
        credential=slot.credential.id if slot.credential else "",
        agent=context.agent_id,
        person=context.principal.id,
        session_key=context.session_key,
        run_id=context.run_id,
        workspace=str(folder),
        name=str(arguments.get("filename") or ""),
        prompt=order.prompt,
    )
    await asyncio.to_thread(job_store, job)
    text = f"Video {job.id} was begun with {job.model}. You will be told when it is there."
    return ToolResult.text(text, jobId=job.id, status="running", model=job.model)


def _slots(wanted: str, context: ToolContext) -> list[MediaSlot[VideoMaker]]:
    configured = agent_defaults().video_generation_model
    return slots_find(VIDEO_MAKERS, wanted=wanted, configured=configured, agent=context.agent_id)


def _own(context: ToolContext) -> list[VideoJob]:
    whose = (context.agent_id, context.principal.id)
    return [job for job in jobs_all() if (job.agent, job.person) == whose]


def _listed(jobs: list[VideoJob]) -> ToolResult:
    lines = [video_line(job) for job in jobs] or ["There is no video."]
    facts = [{"jobId": job.id, "status": job.state, "paths": list(job.paths)} for job in jobs]
    return ToolResult.text("\n".join(lines), jobs=facts)


async def _status(identifier: str, context: ToolContext) -> ToolResult:
    if not identifier:
        raise ToolError("jobId: say which video; action list names them.")
    whose = {"agent": context.agent_id, "person": context.principal.id}
    job = await video_check(await asyncio.to_thread(lambda: job_find(identifier, **whose)))
    if job.state != "working" and not job.seen:
        # The agent knows it now; nobody needs to wake it for this.
        await asyncio.to_thread(job_seen, job)
    paths = list(job.paths)
    return ToolResult.text(video_line(job), jobId=job.id, status=job.state, media=paths)
