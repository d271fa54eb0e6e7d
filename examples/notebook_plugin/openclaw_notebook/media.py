"""Makers of media for a provider called "notebook": a blank page, and the rustling of one."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from agents.core.model import ModelInfo
from agents.media.contracts import ImageOrder, MediaFile, SpeechOrder

_RATE = 8_000


class Painter:
    """image_generate with model "notebook/page"."""

    default_model = "page"
    options: frozenset[str] = frozenset()

    async def make(self, order: ImageOrder, model: ModelInfo) -> Sequence[MediaFile]:
        """As many white pictures as are ordered."""
        return [MediaFile(_white(), "image/png")] * order.count


class Rustler:
    """messages.tts.provider = "notebook"."""

    default_model = "paper"

    async def speak(self, order: SpeechOrder, model: ModelInfo) -> MediaFile:
        """A tenth of a second of silence for each word."""
        samples = b"\x80" * (_RATE // 10) * len(order.text.split())
        sound = struct.pack("<IHHIIHH", 16, 1, 1, _RATE, _RATE, 1, 8)
        body = b"WAVEfmt " + sound + b"data" + struct.pack("<I", len(samples)) + samples
        return MediaFile(b"RIFF" + struct.pack("<I", len(body)) + body, "audio/wav")


def _white(side: int = 16) -> bytes:
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff" * side) * side)
    parts = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
