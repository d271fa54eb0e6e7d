"""Reads what somebody wants to have pictured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.core.errors import ToolError
from agents.media.contracts import ImageOrder, MediaFile
from tools.arguments import number_argument

# runtime.md 4.8.
MOST_IMAGES = 5
MOST_COUNT = 4
_RATIO = re.compile(r"[1-9]\d{0,2}:[1-9]\d{0,2}\Z")
_SIZE = re.compile(r"(auto|[1-9]\d{1,3}x[1-9]\d{1,3})\Z")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "resolution": ("1K", "2K", "4K"),
    "quality": ("low", "medium", "high", "auto"),
    "outputFormat": ("png", "jpeg", "webp"),
    "background": ("transparent", "opaque", "auto"),
}
_TEXT = {"type": "string"}
PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "action": {
            "type": "string",
            "enum": ["generate", "list", "status"],
            "description": "generate (default), list (the models).",
        },
        "prompt": {"type": "string", "description": "What to picture, or what to change."},
        "image": {"type": "string", "description": "Path or address of a picture to change."},
        "images": {"type": "array", "items": _TEXT, "maxItems": MOST_IMAGES},
        "model": {"type": "string", "description": "Another model, as provider/model."},
        "filename": {"type": "string", "description": "What to call the file."},
        "size": {"type": "string", "description": "Width and height, such as 1024x1024."},
        "aspectRatio": {"type": "string", "description": "Such as 16:9."},
        **{name: {"type": "string", "enum": list(known)} for name, known in _CHOICES.items()},
        "count": {"type": "integer", "minimum": 1, "maximum": MOST_COUNT},
        "timeoutMs": {"type": "integer", "minimum": 1000},
        "openai": {"type": "object", "description": "Further fields for OpenAI."},
    },
    "additionalProperties": False,
}
ALIASES = {
    "aspect_ratio": "aspectRatio",
    "output_format": "outputFormat",
    "timeout_ms": "timeoutMs",
    "n": "count",
}


def order_read(arguments: Mapping[str, Any], images: Sequence[MediaFile] = ()) -> ImageOrder:
    """The order in `arguments` about `images`. Raises ToolError that names what is wrong."""
    prompt = arguments.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise ToolError("prompt: say what to picture.")
    count = number_argument(arguments, "count", 1, low=1)
    if count > MOST_COUNT:
        raise ToolError(f"count: must be 1 to {MOST_COUNT}, got {count}.")
    extra = arguments.get("openai") or {}
    if not isinstance(extra, Mapping):
        raise ToolError("openai: expected an object.")
    return ImageOrder(
        prompt=prompt.strip(),
        images=tuple(images),
        size=_shaped(arguments, "size", _SIZE, "WIDTHxHEIGHT, such as 1024x1024"),
        aspect_ratio=_shaped(arguments, "aspectRatio", _RATIO, "W:H, such as 16:9"),
        resolution=_chosen(arguments, "resolution"),
        quality=_chosen(arguments, "quality"),
        output_format=_chosen(arguments, "outputFormat"),
        background=_chosen(arguments, "background"),
        count=count,
        openai=dict(extra),
    )


def _shaped(arguments: Mapping[str, Any], name: str, shape: re.Pattern[str], what: str) -> str:
    value = arguments.get(name)
    if value in (None, ""):
        return ""
    if not isinstance(value, str) or not shape.match(value):
        raise ToolError(f"{name}: must be {what}, got {value!r}.")
    return value


def _chosen(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if value in (None, ""):
        return ""
    known = _CHOICES[name]
    if value not in known:
        raise ToolError(f"{name}: must be one of {', '.join(known)}, got {value!r}.")
    return str(value)
