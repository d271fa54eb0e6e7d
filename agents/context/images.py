"""Images of the past are not sent again and again. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.core.messages import Image, Message, Text, ToolResultMessage, UserMessage

# runtime.md 3.9: the newest completed turns whose images are still sent.
IMAGE_TURNS = 3
OLD_IMAGE = "[An image of an earlier message stood here.]"


def images_from(messages: Sequence[Message], turns: int = IMAGE_TURNS) -> int:
    """The index from which images are kept: the newest `turns` turns and the one that runs."""
    left = turns + 1
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], UserMessage):
            left -= 1
            if left == 0:
                return index
    return 0


def has_image(message: Message) -> bool:
    """Whether a message shows an image."""
    if not isinstance(message, UserMessage | ToolResultMessage):
        return False
    if isinstance(message.content, str):
        return False
    return any(isinstance(block, Image) for block in message.content)


def without_images(message: Message) -> Message:
    """The message with a note in the place of each image; the same object when it has none."""
    if not isinstance(message, UserMessage | ToolResultMessage) or not has_image(message):
        return message
    if isinstance(message.content, str):
        return message
    content = tuple(
        Text(OLD_IMAGE) if isinstance(block, Image) else block for block in message.content
    )
    return replace(message, content=content)
