"""The Images API of OpenAI (https://developers.openai.com/api/docs/guides/image-generation)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.core.model import ModelInfo
from agents.media.contracts import ImageOrder, MediaFile
from agents.media.failures import data_decoded, typed_failures
from agents.media.openai.client import openai_client
from agents.providers.failures import provider_error

# The sizes that every model of the family takes, by the shape they have.
_SQUARE, _WIDE, _TALL = "1024x1024", "1536x1024", "1024x1536"


class OpenAIImages:
    """Makes and edits pictures."""

    default_model = "gpt-image-2.5-flare"
    options = frozenset({"size", "aspect_ratio", "quality", "output_format", "background"})

    async def make(self, order: ImageOrder, model: ModelInfo) -> Sequence[MediaFile]:
        """See ImageMaker."""
        fields = _fields(order, model)
        async with typed_failures(model), openai_client(model) as client:
            if order.images:
                response = await client.images.edit(image=_uploads(order), **fields)
            else:
                response = await client.images.generate(**fields)
        found = [image.b64_json for image in response.data or ()]
        if not found:
            raise provider_error(model, "no picture came back", reason="empty_response")
        kind = f"image/{response.output_format or order.output_format or 'png'}"
        return [MediaFile(data_decoded(text, model), kind) for text in found]


IMAGES = OpenAIImages()


def _fields(order: ImageOrder, model: ModelInfo) -> dict[str, Any]:
    stated = {
        "size": order.size or _size(order.aspect_ratio),
        "quality": order.quality,
        "output_format": order.output_format,
        "background": order.background,
    }
    given: dict[str, Any] = {name: value for name, value in stated.items() if value}
    if order.openai:
        given["extra_body"] = dict(order.openai)
    return {"model": model.id, "prompt": order.prompt, "n": order.count, **given}


def _size(ratio: str) -> str:
    """The nearest size that every model takes."""
    if not ratio:
        return ""
    wide, _colon, tall = ratio.partition(":")
    shape = float(wide) / float(tall)
    return _SQUARE if 0.8 < shape < 1.25 else _WIDE if shape > 1 else _TALL


def _uploads(order: ImageOrder) -> list[tuple[str, bytes, str]]:
    return [
        (f"image-{number}.{file.mime_type.rpartition('/')[2]}", file.data, file.mime_type)
        for number, file in enumerate(order.images, 1)
    ]
