"""The tool `read`: a page of a text file, or a picture."""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from shlex import quote
from typing import Any, BinaryIO, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import Image, Text
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.arguments import FILE_ALIASES, number_argument, rename_aliases, text_argument
from tools.encoding import SAMPLE_BYTES, Encoding, detect_encoding
from tools.images import image_type
from tools.paging import PAGE_LINES, Page, read_page
from tools.workspace.files import OpenFile, open_file
from tools.workspace.reach import reached_place
from tools.workspace.readable import readable_place

# What vendors accept as one picture.
_IMAGE_BYTES = 5 * 1024 * 1024
# Wide encodings have no byte that ends a line, so such a file is read as a whole.
_WIDE_BYTES = 16 * 1024 * 1024

_DESCRIPTION = (
    "Read a file of the workspace. Text comes in pages of at most 2000 lines or 50 KB; the last "
    "line says how to get the next page. Pictures (jpg, png, gif, webp) come as pictures."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
        "offset": {"type": "integer", "minimum": 1, "description": "First line to read, from 1."},
        "limit": {"type": "integer", "minimum": 1, "description": "Most lines to read."},
    },
    "required": ["path"],
    "additionalProperties": False,
}


class ReadTool:
    """Reads files; changes nothing."""

    name = "read"
    label = "Read"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    repeatable = True
    execution: Literal["parallel", "sequential"] = "parallel"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments with `path` in place of its aliases."""
        return rename_aliases(arguments, FILE_ALIASES)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """One page of the file, or the picture. Raises ToolError."""
        arguments = self.prepare(arguments)
        path = text_argument(arguments, "path")
        first = number_argument(arguments, "offset", 1, low=1)
        limit = number_argument(arguments, "limit", PAGE_LINES, low=1)
        return await asyncio.to_thread(self._read, context, path, first, limit)

    def opened(self, context: ToolContext, path: str) -> AbstractContextManager[OpenFile]:
        """The file to read. Blocking. Raises ToolError."""
        root, below = readable_place(context, path)
        if root == context.workspace:
            root, below = reached_place(context, path)
        return open_file(root, below)

    def _read(self, context: ToolContext, path: str, first: int, limit: int) -> ToolResult:
        with self.opened(context, path) as file:
            return _shown(file, path, first, limit)


READ = ReadTool()


def _shown(file: OpenFile, path: str, first: int, limit: int) -> ToolResult:
    head = file.handle.read(SAMPLE_BYTES)
    if (mime_type := image_type(head)) is not None:
        return _picture(file, head, mime_type)
    encoding = detect_encoding(head)
    if encoding is None:
        raise ToolError(
            f"path: {path!r} is a binary file of {file.status.st_size:,} bytes; "
            "read shows text and pictures (jpg, png, gif, webp) only."
        )
    page = read_page(_lines_of(file, encoding), first, limit)
    return _page_result(file, encoding, page)


def _picture(file: OpenFile, head: bytes, mime_type: str) -> ToolResult:
    size = file.status.st_size
    if size > _IMAGE_BYTES:
        raise ToolError(
            f"path: {file.shown!r} is a picture of {size:,} bytes; "
            f"at most {_IMAGE_BYTES:,} can be shown. Make it smaller first."
        )
    data = base64.b64encode(head + file.handle.read(_IMAGE_BYTES)).decode("ascii")
    return ToolResult(
        content=(Text(f"{file.shown} ({mime_type}, {size:,} bytes)"), Image(data, mime_type)),
        details={"path": file.shown, "mimeType": mime_type, "bytes": size},
    )


def _lines_of(file: OpenFile, encoding: Encoding) -> BinaryIO:
    file.handle.seek(0)
    if not encoding.wide:
        file.handle.seek(len(encoding.mark))
        return file.handle
    if file.status.st_size > _WIDE_BYTES:
        raise ToolError(
            f"path: {file.shown!r} is {encoding.name} text of more than {_WIDE_BYTES:,} bytes. "
            "Convert it to UTF-8 first."
        )
    body = file.handle.read(_WIDE_BYTES).removeprefix(encoding.mark)
    return io.BytesIO(body.decode(encoding.name, "replace").encode())


def _page_result(file: OpenFile, encoding: Encoding, page: Page) -> ToolResult:
    if not page.lines and page.long_line is None and page.first > 1:
        raise ToolError(f"offset: {page.first} is beyond the end; the file has {page.total} lines.")
    text, name = _page_text(page, encoding)
    following = page.next + (page.long_line is not None)
    more = page.total is None or following <= page.total
    notes = " ".join(_notes(file, page, name, following if more else None))
    return ToolResult.text(
        "\n\n".join(part for part in (text, notes and f"[{notes}]") if part) or "[Blank lines.]",
        path=file.shown,
        encoding=name,
        firstLine=page.first,
        lastLine=page.next - 1,
        totalLines=page.total,
        nextOffset=following if more else None,
    )


def _page_text(page: Page, encoding: Encoding) -> tuple[str, str]:
    """The page as text, and the encoding it turned out to have."""
    data = b"\n".join(line.removesuffix(b"\r") for line in page.lines) or page.start
    if encoding.wide:
        return data.decode(), encoding.name
    # The head of a long file may be plain ASCII while this page is not.
    actual = encoding if encoding.damaged else (detect_encoding(data) or encoding)
    name = encoding.name if data.isascii() else actual.name
    # Databases refuse NUL characters in text.
    return data.decode(name, "replace").replace("\0", "\ufffd"), name


def _notes(file: OpenFile, page: Page, encoding: str, following: int | None) -> Iterator[str]:
    if page.total == 0:
        yield "The file is empty."
    if page.long_line is not None:
        yield (
            f"Line {page.first} has {page.long_line:,} bytes and fits on no page; its start is "
            "above. For more use exec: "
            f"sed -n '{page.first}p' {quote(file.shown)} | cut -c 2001-9000"
        )
    if following is not None:
        total = "" if page.total is None else f" of {page.total}"
        yield f"Lines {page.first}-{following - 1}{total}. Use offset={following} to continue."
    if encoding != "utf-8":
        yield f"Decoded from {encoding}."
