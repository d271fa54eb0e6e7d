"""Images for models that can see, and a word in their place for models that cannot."""

from __future__ import annotations

from agents.core.messages import Image, Text, UserBlock

USER_IMAGE_NOTE = "(an image is here, but this model cannot see images)"
TOOL_IMAGE_NOTE = "(the tool returned an image, but this model cannot see images)"


def images_replace(content: tuple[UserBlock, ...], note: str) -> tuple[UserBlock, ...]:
    """The same content with each run of images replaced by one `note`."""
    if not any(isinstance(block, Image) for block in content):
        return content
    kept: list[UserBlock] = []
    in_run = False
    for block in content:
        if not isinstance(block, Image):
            kept.append(block)
        elif not in_run:
            kept.append(Text(note))
        in_run = isinstance(block, Image)
    return tuple(kept)


def data_url(image: Image) -> str:
    """The image as a data: URL."""
    return f"data:{image.mime_type};base64,{image.data}"
