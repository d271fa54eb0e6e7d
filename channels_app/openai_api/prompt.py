"""The caller's messages as one message for an agent, whose session has a memory of its own. Pure.

Without a session every request is a conversation by itself, so what came before is handed over as
text. With a session the agent remembers, and only what is new since its last answer is sent.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from channels_app.openai_api.completion_request import Message
from channels_app.openai_api.errors import ApiError

# gateway.md 4.3: images of the last user turn.
MAX_IMAGES = 8
MAX_IMAGE_BYTES = 6 * 1024 * 1024
MAX_IMAGES_BYTES = 20 * 1024 * 1024
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_DATA_URI = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)(?:;[\w=.-]+)*;base64,(?P<data>.*)", re.S)
_SPEAKERS = {"user": "User", "assistant": "Assistant", "tool": "Tool", "function": "Tool"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the agent gets. `system` is added to its own instructions."""

    text: str
    system: str = ""
    attachments: list[dict[str, Any]] = field(default_factory=list)


def prompt_from(messages: Sequence[Message], *, remembers: bool) -> Prompt:
    """Raises ApiError for images that cannot be used."""
    system = "\n\n".join(
        message.text.strip()
        for message in messages
        if message.role in ("system", "developer") and message.text.strip()
    )
    spoken = [m for m in messages if m.role in _SPEAKERS and (m.text.strip() or m.image_urls)]
    last = max(index for index, message in enumerate(spoken) if message.role == "user")
    current, before = spoken[last:], spoken[:last]
    if remembers:
        before = _since_last_answer(before)
    text = _text(before, current)
    return Prompt(text, system, _images(spoken[last].image_urls))


def _since_last_answer(before: list[Message]) -> list[Message]:
    answers = [index for index, message in enumerate(before) if message.role == "assistant"]
    return before[answers[-1] + 1 :] if answers else before


def _text(before: Sequence[Message], current: Sequence[Message]) -> str:
    if not before and len(current) == 1:
        return current[0].text
    now = "\n\n".join(_line(message) for message in current)
    if not before:
        return now
    history = "\n\n".join(_line(message) for message in before)
    return f"[Conversation so far, for context]\n{history}\n\n[Current message]\n{now}"


def _line(message: Message) -> str:
    speaker = _SPEAKERS[message.role]
    return (
        f"{speaker} ({message.name}): {message.text}"
        if message.name
        else (f"{speaker}: {message.text}")
    )


def _images(urls: Sequence[str]) -> list[dict[str, Any]]:
    if len(urls) > MAX_IMAGES:
        raise ApiError(400, f"At most {MAX_IMAGES} images can be sent.", param="messages")
    images = [_image(number, url) for number, url in enumerate(urls, 1)]
    if sum(len(image["content"]) * 3 // 4 for image in images) > MAX_IMAGES_BYTES:
        raise ApiError(400, "The images are larger than 20 MiB together.", param="messages")
    return images


def _image(number: int, url: str) -> dict[str, Any]:
    match = _DATA_URI.fullmatch(url)
    if match is None:
        text = f"Image {number}: `image_url` must be a base64 data: URI; addresses are not fetched."
        raise ApiError(400, text, param="messages")
    if match["type"] not in IMAGE_TYPES:
        text = f"Image {number} is {match['type']}; use one of {', '.join(IMAGE_TYPES)}."
        raise ApiError(400, text, param="messages")
    try:
        size = len(base64.b64decode(match["data"], validate=True))
    except (binascii.Error, ValueError):
        raise ApiError(400, f"Image {number} is not valid base64.", param="messages") from None
    if size > MAX_IMAGE_BYTES:
        raise ApiError(400, f"Image {number} is larger than 6 MiB.", param="messages")
    return {
        "type": "image",
        "mimeType": match["type"],
        "fileName": f"image-{number}.{match['type'].partition('/')[2]}",
        "content": match["data"],
    }
