"""A program of its own that reads a PDF: from standard input, to JSON on standard output.

PDFs come from anywhere and their reader is native code. Here it can crash, hang or fill its memory
and nothing but one call of a tool notices. Imports nothing of the product.
"""

from __future__ import annotations

import base64
import ctypes
import io
import json
import resource
import signal
import sys
from typing import Any

# Bytes of address space and seconds of computing; a scanned book of 20 pages takes far less.
_MEMORY = 2 * 1024**3
_SECONDS = 60
# Characters of one page; more is no text that somebody wrote on it.
_PAGE_CHARS = 60_000
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Reads options from the first argument. Always writes one JSON object."""
    _confine()
    options = json.loads(sys.argv[1])
    try:
        answer = _read(sys.stdin.buffer.read(), options)
    except MemoryError:
        answer = {"error": "it takes too much memory"}
    except Exception as error:  # noqa: BLE001 - whatever it is, the other side is told
        answer = {"error": _explained(error)}
    sys.stdout.write(json.dumps(answer))


def _confine() -> None:
    for kind, most in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _explained(error: Exception) -> str:
    text = str(error)
    if "password" in text.lower():
        return "it is encrypted; a password is needed"
    if "PDFium: Success" in text:
        # What its reader says when everything is in order but there is no first page.
        return "it has no pages"
    if "Data format" in text or "Failed to load document" in text:
        return "it is damaged, or no PDF"
    return f"it could not be read: {text or type(error).__name__}"


def _read(data: bytes, options: dict[str, Any]) -> dict[str, Any]:
    import pypdfium2  # type: ignore[import-untyped,unused-ignore]

    document = pypdfium2.PdfDocument(data)
    total = len(document)
    if total == 0:
        return {"error": "it has no pages"}
    wanted = options["pages"] or list(range(1, total + 1))[: options["mostPages"]]
    if beyond := [number for number in wanted if number > total]:
        return {"error": f"it has {total} pages, so there is no page {beyond[0]}"}
    pages = [(number, _text(document[number - 1])) for number in wanted]
    chars = sum(len(text.strip()) for _number, text in pages)
    images = []
    if chars < options["leastChars"]:
        most = options["mostPixels"]
        images = [(number, _picture(document[number - 1], most)) for number in wanted]
    return {"total": total, "pages": pages, "images": images}


def _text(page: Any) -> str:
    text: str = page.get_textpage().get_text_bounded()
    text = text.replace("\r\n", "\n").replace("\0", "")
    # Half of a character cannot be passed on.
    return text[:_PAGE_CHARS].encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _picture(page: Any, most_pixels: int) -> str:
    """The page as a JPEG of at most so many pixels, base64."""
    width, height = page.get_size()
    area = max(width * height, 1.0)
    # Twice 72 dots an inch is as fine as models look.
    scale = min(2.0, (most_pixels / area) ** 0.5)
    picture = page.render(scale=scale).to_pil().convert("RGB")
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


if __name__ == "__main__":
    main()
