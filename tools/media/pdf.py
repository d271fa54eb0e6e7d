"""Text and pictures of the pages of a PDF, read by a process of its own."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import Image
from tools.web.abortable import abortable

# runtime.md 4.8.
MOST_PAGES = 20
LEAST_CHARS = 200
MOST_PIXELS = 4_000_000
_PROGRAM = Path(__file__).with_name("pdf_program.py")
_SECONDS = 90.0
_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?\Z")


@dataclass(frozen=True, slots=True)
class PdfPages:
    """What was read: texts by page number, and pictures of pages that have hardly any text."""

    total: int
    texts: tuple[tuple[int, str], ...]
    images: tuple[tuple[int, Image], ...] = field(default=(), repr=False)

    @property
    def text(self) -> str:
        """The texts, each behind the number of its page."""
        return "\n\n".join(f"[Page {number}]\n{text.strip()}" for number, text in self.texts)


def pages_read(given: Any) -> tuple[int, ...]:
    """The page numbers in a text such as "1-3,5", ascending; () when none is given.

    Raises ToolError that names what is wrong.
    """
    if given is None or given == "":
        return ()
    if not isinstance(given, str | int) or isinstance(given, bool):
        raise ToolError(f'pages: expected text such as "1-3,5", got {type(given).__name__}.')
    found: set[int] = set()
    for part in str(given).split(","):
        match = _RANGE.match(part.strip())
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else 0
        if not 1 <= first <= last:
            raise ToolError(f'pages: {part.strip()!r} is no range of pages such as "1-3,5".')
        if last - first >= MOST_PAGES:
            raise _too_many(last - first + 1)
        found.update(range(first, last + 1))
    if len(found) > MOST_PAGES:
        raise _too_many(len(found))
    return tuple(sorted(found))


def _too_many(number: int) -> ToolError:
    return ToolError(f"pages: at most {MOST_PAGES} are read at once, got {number}.")


async def pdf_read(
    data: bytes, *, name: str, pages: tuple[int, ...], signal: AbortSignal
) -> PdfPages:
    """The pages of a PDF, the first 20 when none are named. Raises ToolError."""
    if b"%PDF-" not in data[:1024]:
        raise ToolError(f"pdf: {name!r} is no PDF.")
    options = {
        "pages": list(pages),
        "mostPages": MOST_PAGES,
        "leastChars": LEAST_CHARS,
        "mostPixels": MOST_PIXELS,
    }
    try:
        answer = await abortable(_asked(data, json.dumps(options)), signal)
    except TimeoutError:
        raise ToolError(f"pdf: {name!r} takes too long to read.") from None
    if problem := answer.get("error"):
        raise ToolError(f"pdf: {name!r} cannot be read: {problem}.")
    return PdfPages(
        total=answer["total"],
        texts=tuple((number, text) for number, text in answer["pages"]),
        images=tuple((number, Image(text, "image/jpeg")) for number, text in answer["images"]),
    )


async def _asked(data: bytes, options: str) -> dict[str, Any]:
    """What the program answers. It is killed when this ends early. Raises TimeoutError."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(_PROGRAM),
        options,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"LC_ALL": "C.UTF-8"},
    )
    try:
        async with asyncio.timeout(_SECONDS):
            output, _nothing = await process.communicate(data)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    try:
        answer = json.loads(output)
    except ValueError:
        return {"error": "its reader broke down on it"}
    return answer if isinstance(answer, dict) else {}
