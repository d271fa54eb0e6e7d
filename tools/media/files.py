"""Keeps what was made in the workspace, under names that are not taken."""

from __future__ import annotations

import re
import secrets
import unicodedata

from agents.core.errors import ToolError
from agents.media.contracts import MediaFile
from tools.images import image_type
from tools.media.places import Place

# The folder below the workspace.
FOLDER = "media"
_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "video/mp4": "mp4",
    "video/webm": "webm",
}
_MARKS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1a\x45\xdf\xa3", "video/webm"),
)
_LONGEST_STEM = 60


def media_type(data: bytes, stated: str) -> str:
    """The type that the first bytes show; `stated` where they show nothing."""
    if found := image_type(data[:16]):
        return found
    for place, mark, kind in _MARKS:
        if data[place : place + len(mark)] == mark:
            return kind
    return stated.partition(";")[0].strip().lower()


def media_save(place: Place, files: list[MediaFile], *, wanted: str, kind: str) -> list[str]:
    """Writes the files; returns their paths relative to the workspace, in order.

    `wanted` is a name that somebody chose, of which folders and ending are ignored; `kind` is the
    beginning of the name otherwise. Nothing is ever replaced. Blocking. Raises ToolError.
    """
    stem = _stem(wanted) or kind
    return [_save(place, file, stem) for file in files]


def _save(place: Place, file: MediaFile, stem: str) -> str:
    found = media_type(file.data, file.mime_type)
    ending = _ENDINGS.get(found)
    if ending is None:
        raise ToolError(f"What came back is no file of a kind that is kept ({found or 'unknown'}).")
    # A part that nobody can guess keeps names apart, also for two turns at once.
    path = f"{FOLDER}/{stem}-{secrets.token_hex(4)}.{ending}"
    return place.write(path, file.data)


def _stem(wanted: str) -> str:
    name = unicodedata.normalize("NFC", wanted).replace("\\", "/").rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    return re.sub(r"[^\w.-]+", "-", stem).strip(".-_")[:_LONGEST_STEM]


def media_lines(paths: list[str]) -> str:
    """The lines by which channels find files to send (runtime.md 13)."""
    return "\n".join(f"MEDIA:./{path}" for path in paths)
