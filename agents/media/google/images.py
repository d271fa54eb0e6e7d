"""Pictures of Gemini's image models (https://ai.google.dev/gemini-api/docs/image-generation)."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator, Sequence
from typing import Any

from agents.core.model import ModelInfo
from agents.media.contracts import ImageOrder, MediaFile
from agents.media.failures import data_decoded, typed_failures
from agents.media.plain import ask_json
from agents.providers.failures import provider_error
from agents.providers.google_generative.request import headers_build, request_url


class GoogleImages:
    """Makes and edits pictures; each answer has one, so several are asked for at once."""

    default_model = "gemini-3.1-flash-image"
    options = frozenset({"aspect_ratio", "resolution"})

    async def make(self, order: ImageOrder, model: ModelInfo) -> Sequence[MediaFile]:
        """See ImageMaker."""
        async with typed_failures(model):
            found = await asyncio.gather(*(_one(order, model) for _ in range(order.count)))
        return [file for files in found for file in files]


IMAGES = GoogleImages()


async def _one(order: ImageOrder, model: ModelInfo) -> list[MediaFile]:
    url = request_url(model).replace(":streamGenerateContent?alt=sse", ":generateContent")
    headers = headers_build(model)
    body = await ask_json(url, model=model, headers=headers, body=body_build(order))
    files = [
        MediaFile(data_decoded(found.get("data"), model), str(found.get("mimeType")))
        for found in _inline(body)
    ]
    if not files:
        raise provider_error(model, f"no picture came back: {_why(body)}", reason="format")
    return files


def body_build(order: ImageOrder) -> dict[str, Any]:
    """The body of one request."""
    parts: list[dict[str, Any]] = [{"text": order.prompt}]
    for image in order.images:
        data = base64.b64encode(image.data).decode("ascii")
        parts.append({"inlineData": {"mimeType": image.mime_type, "data": data}})
    config: dict[str, Any] = {"responseModalities": ["TEXT", "IMAGE"]}
    stated = {"aspectRatio": order.aspect_ratio, "imageSize": order.resolution}
    if shape := {name: value for name, value in stated.items() if value}:
        config["imageConfig"] = shape
    contents = [{"role": "user", "parts": parts}]
    return {"contents": contents, "generationConfig": config}


def _parts(body: Any) -> Iterator[dict[str, Any]]:
    for candidate in body.get("candidates") or ():
        yield from (candidate.get("content") or {}).get("parts") or ()


def _inline(body: Any) -> list[dict[str, Any]]:
    # What it thinks of on the way are drafts, not answers.
    return [p["inlineData"] for p in _parts(body) if "inlineData" in p and not p.get("thought")]


def _why(body: Any) -> str:
    """What the service says instead: a text, a reason to end, a block."""
    said = " ".join(str(part["text"]) for part in _parts(body) if "text" in part)
    ends = [str(c.get("finishReason")) for c in body.get("candidates") or ()]
    blocked = str((body.get("promptFeedback") or {}).get("blockReason") or "")
    return said or blocked or ", ".join(ends) or "it gave no reason"
