"""Videos of Gemini's omni models, over the Interactions API (https://aistudio.google.com/docs)."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from agents.core.model import ModelInfo
from agents.media.contracts import MediaFile, VideoOrder, VideoState
from agents.media.failures import data_decoded, typed_failures
from agents.media.plain import ask, ask_json
from agents.providers.failures import provider_error
from agents.providers.google_generative.request import headers_build, request_url

_WORKING = frozenset({"queued", "in_progress", "requires_continuation"})


class GoogleVideos:
    """Begins a video in the background of the service, which keeps it for a while."""

    default_model = "gemini-omni-1.2-flash"

    async def start(self, order: VideoOrder, model: ModelInfo) -> str:
        """See VideoMaker."""
        async with typed_failures(model):
            headers = headers_build(model)
            body = body_build(order, model)
            answer = await ask_json(_address(model), model=model, headers=headers, body=body)
        name = answer.get("id")
        if not isinstance(name, str) or not name:
            raise provider_error(model, "the service named no job", reason="empty_response")
        return name

    async def check(self, job: str, model: ModelInfo) -> VideoState:
        """See VideoMaker."""
        async with typed_failures(model):
            url = f"{_address(model)}/{quote(job, safe='')}"
            answer = await ask_json(url, model=model, headers=headers_build(model))
            status = str(answer.get("status"))
            if status in _WORKING:
                return VideoState("working")
            files = [await _file(found, model) for found in _videos(answer)]
        if status == "completed" and files:
            return VideoState("done", tuple(files))
        return VideoState("failed", reason=_why(answer, status))


VIDEOS = GoogleVideos()


def body_build(order: VideoOrder, model: ModelInfo) -> dict[str, Any]:
    """The body that begins a video."""
    parts: list[dict[str, Any]] = [
        {
            "type": "image",
            "mime_type": image.mime_type,
            "data": base64.b64encode(image.data).decode("ascii"),
        }
        for image in order.images
    ]
    shape: dict[str, Any] = {"type": "video"}
    if order.aspect_ratio:
        shape["aspect_ratio"] = order.aspect_ratio
    if order.resolution:
        shape["resolution"] = order.resolution
    if order.seconds:
        shape["duration"] = f"{order.seconds}s"
    return {
        "model": model.id,
        "input": [*parts, {"type": "text", "text": order.prompt}],
        "response_format": shape,
        "background": True,
        "store": True,
    }


def _address(model: ModelInfo) -> str:
    return f"{request_url(model).partition('/models/')[0]}/interactions"


def _videos(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for step in answer.get("steps") or ():
        if step.get("type") != "model_output":
            continue
        yield from (part for part in step.get("content") or () if part.get("type") == "video")


async def _file(found: dict[str, Any], model: ModelInfo) -> MediaFile:
    kind = str(found.get("mime_type") or "video/mp4")
    if found.get("data"):
        return MediaFile(data_decoded(found["data"], model), kind)
    url = str(found.get("uri") or "")
    own = urlsplit(request_url(model))
    if (urlsplit(url).scheme, urlsplit(url).netloc) != (own.scheme, own.netloc):
        # The key would go with it.
        raise provider_error(model, "the file is not at the service's address", reason="format")
    return MediaFile(await ask(url, model=model, headers=headers_build(model)), kind)


def _why(answer: dict[str, Any], status: str) -> str:
    errors = [*(answer.get("errors") or ())]
    errors += [step["error"] for step in answer.get("steps") or () if step.get("error")]
    said = " ".join(str(error.get("message") or "") for error in errors).strip()
    return said or f"it ended as {status} without a video"
