"""Recognises the picture formats that models take, by their first bytes."""

from __future__ import annotations

# The name of a file says nothing reliable about its content; these bytes do.
_MARKS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def image_type(head: bytes) -> str | None:
    """The MIME type of a PNG, JPEG, GIF or WebP picture, None for everything else."""
    for mark, mime_type in _MARKS:
        if head.startswith(mark):
            return mime_type
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None
