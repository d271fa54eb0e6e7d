"""Turns any picture into one that models take: small enough, upright, eight bits a channel."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.core.errors import ToolError
from agents.core.messages import Image as ImageBlock
from tools.images import image_type

if TYPE_CHECKING:
    from PIL.Image import Image

# A picture of this many pixels takes 200 MB while it is unpacked; a small file may claim more.
MOST_PIXELS = 50_000_000
# What vendors accept as one picture (runtime.md 4.1).
MOST_BYTES = 5 * 1024 * 1024
# Only formats whose readers are robust; others (PostScript, FITS, …) call programs or are rare.
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF")
_QUALITIES = (85, 70, 50)
_EXIF_ORIENTATION = 0x0112
_UPRIGHT = (None, 0, 1)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture for a model. `note` says what was done to it, "" for nothing."""

    data: bytes
    mime_type: str
    width: int
    height: int
    note: str = ""

    def block(self) -> ImageBlock:
        """The picture as a block of a message."""
        return ImageBlock(base64.b64encode(self.data).decode("ascii"), self.mime_type)


def picture_fit(data: bytes, *, side: int, most_bytes: int = MOST_BYTES, name: str) -> Picture:
    """The picture in `data` with no side longer than `side` pixels and at most `most_bytes`.

    A file that fits already is given back as it is. Of an animation it is the first frame. Blocking
    and takes up to a second. Raises ToolError, calling the picture `name`.
    """
    from PIL import UnidentifiedImageError
    from PIL.Image import DecompressionBombError
    from PIL.Image import open as image_open

    _check_kind(data, name)
    try:
        with image_open(io.BytesIO(data), formats=_FORMATS) as image:
            return _fit(image, data, side, most_bytes, name)
    except UnidentifiedImageError:
        known = "png, jpg, gif, webp, bmp, tiff, avif"
        raise ToolError(f"{name}: is no picture that can be read ({known}).") from None
    except DecompressionBombError:
        raise _too_many_pixels(name) from None
    except ToolError:
        raise
    except Exception as error:
        # The readers raise many kinds of errors for damaged files.
        raise ToolError(f"{name}: the picture is damaged: {error}.") from error


def _check_kind(data: bytes, name: str) -> None:
    head = data[:1024].lstrip().lower()
    if head.startswith((b"<svg", b"<?xml", b"<!doctype svg")) and b"<svg" in data[:65_536].lower():
        raise ToolError(
            f"{name}: is an SVG drawing, which models do not see. Read it as text, or turn it "
            "into a PNG first."
        )
    if head.startswith(b"%pdf"):
        raise ToolError(f"{name}: is a PDF. Use the tool pdf.")
    if not data:
        raise ToolError(f"{name}: is empty.")


def _fit(image: Image, data: bytes, side: int, most_bytes: int, name: str) -> Picture:
    width, height = image.size
    if width * height > MOST_PIXELS:
        raise _too_many_pixels(name)
    frames = getattr(image, "n_frames", 1)
    kind = image_type(data[:16])
    turned = image.getexif().get(_EXIF_ORIENTATION) not in _UPRIGHT
    plain = image.mode in ("RGB", "RGBA", "L", "P", "LA", "1") and frames == 1 and not turned
    if kind and plain and max(image.size) <= side and len(data) <= most_bytes:
        image.load()
        return Picture(data, kind, width, height)
    notes = [f"frame 1 of {frames}"] if frames > 1 else []
    shown = _upright(image)
    if max(shown.size) > side:
        shown.thumbnail((side, side))
        notes.append(f"made smaller from {width} x {height}")
    return _saved(shown, most_bytes, name, ", ".join(notes))


def _too_many_pixels(name: str) -> ToolError:
    return ToolError(
        f"{name}: has more than {MOST_PIXELS:,} pixels, which is too many to unpack. Make it "
        "smaller first."
    )


def _upright(image: Image) -> Image:
    """The first frame, turned as its camera says, in colours that every reader knows."""
    from PIL import ImageOps

    image.seek(0)
    turned = ImageOps.exif_transpose(image)
    if turned.mode.startswith("I") or turned.mode == "F":
        # 16 bits a channel: conversion would cut every brighter value off instead of scaling.
        return _scaled(turned)
    has_alpha = "A" in turned.mode or "transparency" in turned.info
    return turned.convert("RGBA" if has_alpha else "RGB")


def _scaled(image: Image) -> Image:
    wide = image.convert("F")
    high = float(str(wide.getextrema()[1]))
    top = 65_535.0 if 255 < high <= 65_535 else max(high, 1.0)
    return wide.point(lambda value: value * (255.0 / top)).convert("L")


def _saved(image: Image, most_bytes: int, name: str, note: str) -> Picture:
    """The picture in the smallest form that still fits; smaller and smaller until it does."""
    while min(image.size) >= 1:
        for data, kind in _encoded(image):
            if len(data) <= most_bytes:
                return Picture(data, kind, *image.size, note)
        if max(image.size) < 64:
            break
        image = image.resize((max(1, image.width * 3 // 4), max(1, image.height * 3 // 4)))
    raise ToolError(f"{name}: cannot be made to fit into {most_bytes:,} bytes.")


def _encoded(image: Image) -> list[tuple[bytes, str]]:
    found = []
    if image.mode == "RGBA":
        buffer = io.BytesIO()
        image.save(buffer, "PNG", optimize=False)
        return [(buffer.getvalue(), "image/png")]
    for quality in _QUALITIES:
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=quality)
        found.append((buffer.getvalue(), "image/jpeg"))
        if buffer.tell() <= MOST_BYTES // 2:
            break
    return found
