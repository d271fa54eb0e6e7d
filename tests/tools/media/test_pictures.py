"""Pictures of every kind are made fit for models, and dangerous ones are refused."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from agents.core.errors import ToolError
from tests.model_server.media import png
from tests.tools.media.conftest import drawn
from tools.media.images import MOST_PIXELS, picture_fit


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def test_it_works() -> None:
    data = png(40, 30)
    picture = picture_fit(data, side=1200, name="a.png")
    assert (picture.data, picture.mime_type, picture.note) == (data, "image/png", "")
    assert (picture.width, picture.height) == (40, 30)


def test_a_large_one_is_made_smaller(tmp_path: Path) -> None:
    picture = picture_fit(drawn(tmp_path / "a.png", (3000, 1500)), side=1200, name="a.png")
    assert (picture.width, picture.height) == (1200, 600)
    assert "3000 x 1500" in picture.note
    assert opened(picture.data).size == (1200, 600)


@pytest.mark.parametrize("side", [8_000, 12_000, 30_000])
def test_a_bomb_is_refused_before_it_is_unpacked(side: int) -> None:
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 99)), (b"IEND", b""))
    )
    assert side * side > MOST_PIXELS
    with pytest.raises(ToolError, match="more than 50,000,000 pixels"):
        picture_fit(b"\x89PNG\r\n\x1a\n" + chunks, side=1200, name="bomb.png")


def test_a_photo_is_turned_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = drawn(tmp_path / "a.jpg", (60, 20), exif=exif)
    picture = picture_fit(data, side=1200, name="a.jpg")
    assert (picture.width, picture.height) == (20, 60)
    assert opened(picture.data).getexif().get(0x0112) is None


def test_an_animation_becomes_its_first_frame() -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=50)
    picture = picture_fit(buffer.getvalue(), side=1200, name="a.gif")
    assert picture.note == "frame 1 of 3"
    assert picture.mime_type in ("image/jpeg", "image/png")


def test_cmyk_becomes_rgb(tmp_path: Path) -> None:
    picture = picture_fit(drawn(tmp_path / "a.jpg", mode="CMYK"), side=1200, name="a.jpg")
    assert (picture.mime_type, opened(picture.data).mode) == ("image/jpeg", "RGB")


@pytest.mark.parametrize("bright", [100, 32_768, 65_535])
def test_sixteen_bits_are_scaled(bright: int) -> None:
    wide = Image.new("I;16", (20, 20), bright)
    wide.putpixel((0, 0), 65_535)
    buffer = io.BytesIO()
    wide.save(buffer, "PNG")
    picture = picture_fit(buffer.getvalue(), side=1200, name="a.png")
    found = opened(picture.data).convert("L").getpixel((15, 15))
    assert isinstance(found, int)
    assert abs(found - bright // 257) <= 3


def test_transparency_is_kept(tmp_path: Path) -> None:
    data = drawn(tmp_path / "a.png", (2000, 100), mode="RGBA")
    picture = picture_fit(data, side=500, name="a.png")
    assert (picture.mime_type, opened(picture.data).mode) == ("image/png", "RGBA")


def test_a_file_that_is_too_heavy_is_packed_anew() -> None:
    noise = Image.effect_noise((900, 900), 100)
    buffer = io.BytesIO()
    noise.save(buffer, "PNG")
    picture = picture_fit(buffer.getvalue(), side=1200, most_bytes=100_000, name="a.png")
    assert len(picture.data) <= 100_000
    assert opened(picture.data).format == "JPEG"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', "SVG drawing"),
        (b'<?xml version="1.0"?>\n<!-- x -->\n<svg></svg>', "SVG drawing"),
        (b"%PDF-1.7", "Use the tool pdf"),
        (b"", "is empty"),
        (b"hello", "is no picture"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "is no picture"),
        (png()[:60], "is damaged"),
    ],
)
def test_what_is_no_picture_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(ToolError, match=words):
        picture_fit(data, side=1200, name="a.file")


@pytest.mark.parametrize("ending", ["bmp", "tif", "webp", "gif", "avif"])
def test_other_formats(tmp_path: Path, ending: str) -> None:
    picture = picture_fit(drawn(tmp_path / f"a.{ending}"), side=1200, name="a")
    assert picture.mime_type in ("image/webp", "image/gif", "image/jpeg", "image/png")
    assert (picture.width, picture.height) == (40, 30)
