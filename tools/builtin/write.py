"""The tool `write`: makes or replaces a text file of the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.clean_text import clean_text
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.arguments import FILE_ALIASES, rename_aliases, text_argument
from tools.workspace.files import write_file
from tools.workspace.reach import reached_place

_DESCRIPTION = (
    "Write a text file of the workspace (UTF-8). Missing folders are made; a file that exists is "
    "replaced as a whole. To change a part of a file use edit."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
        "content": {"type": "string", "description": "The whole new content."},
    },
    "required": ["path", "content"],
    "additionalProperties": False,
}
_ALIASES: Mapping[str, str] = {**FILE_ALIASES, "text": "content", "contents": "content"}


class WriteTool:
    """Writes files in one step: a reader sees the old content or the new, never a part."""

    name = "write"
    label = "Write"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    repeatable = False
    # In order with the other calls of its batch, which may be about the same file.
    execution: Literal["parallel", "sequential"] = "sequential"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments with `path` and `content` in place of their aliases."""
        return rename_aliases(arguments, _ALIASES)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Writes the file and says how many bytes. Raises ToolError."""
        arguments = self.prepare(arguments)
        path = text_argument(arguments, "path")
        content = text_argument(arguments, "content")
        return await asyncio.to_thread(self._write, context, path, content)

    def put(self, context: ToolContext, path: str, data: bytes) -> tuple[str, bool]:
        """Makes `data` the content of a file; its path as shown, and whether it is new. Blocking.
        Raises ToolError."""
        return write_file(*reached_place(context, path), data)

    def _write(self, context: ToolContext, path: str, content: str) -> ToolResult:
        mended = clean_text(content)
        data = mended.encode()
        shown, created = self.put(context, path, data)
        note = "" if mended == content else " Broken characters in it became U+FFFD."
        verb = "Created" if created else "Replaced"
        return ToolResult.text(
            f"{verb} {shown} ({len(data):,} bytes).{note}",
            path=shown,
            bytes=len(data),
            created=created,
        )


WRITE = WriteTool()
