"""The tool `edit`: replaces parts of a text file of the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.arguments import text_argument
from tools.editing.apply import Edit, Edited, apply_edits
from tools.editing.diff import diff_of, first_changed_line
from tools.editing.requests import edits_of, prepare_edits
from tools.encoding import detect_encoding
from tools.workspace.files import rewrite_file
from tools.workspace.reach import reached_place

MOST_BYTES = 16 * 1024 * 1024

_DESCRIPTION = (
    "Replace parts of a text file. Each oldText must stand in the file exactly once, edits must "
    "not overlap, and all are matched against the file as it is now and applied together. "
    "Encoding and line ends of the file are kept."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
        "edits": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "oldText": {"type": "string", "description": "Text that is there once."},
                    "newText": {"type": "string", "description": "What shall be there instead."},
                },
                "required": ["oldText", "newText"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["path", "edits"],
    "additionalProperties": False,
}


class EditTool:
    """Edits files in one step: all edits of a call or none."""

    name = "edit"
    label = "Edit"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    repeatable = False
    # In order with the other calls of its batch, which may be about the same file.
    execution: Literal["parallel", "sequential"] = "sequential"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments as `path` and a list of edits, whatever the model called them."""
        return prepare_edits(arguments)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """Edits the file; `details` has the diff and firstChangedLine. Raises ToolError."""
        arguments = self.prepare(arguments)
        path = text_argument(arguments, "path")
        edits = [Edit(clean_text(edit.old), clean_text(edit.new)) for edit in edits_of(arguments)]
        return await asyncio.to_thread(self._edit, context, path, edits)

    def rewritten(self, context: ToolContext, path: str, change: Callable[[bytes], bytes]) -> str:
        """Replaces a file's content by `change(content)`; its path as shown. Blocking. Raises
        ToolError."""
        root, path = reached_place(context, path)
        return rewrite_file(root, path, change, most_bytes=MOST_BYTES)

    def _edit(self, context: ToolContext, path: str, edits: Sequence[Edit]) -> ToolResult:
        change = _Change(path, edits)
        shown = self.rewritten(context, path, change)
        before, after = clean_text(change.before), clean_text(change.edited.text)
        return ToolResult.text(
            f"Edited {shown}: {_counted(len(edits))}.{_evened_note(change.edited)}",
            path=shown,
            diff=diff_of(before, after, shown),
            firstChangedLine=first_changed_line(before, after),
        )


EDIT = EditTool()


class _Change:
    """From old bytes to new ones; keeps the texts of the last time."""

    def __init__(self, path: str, edits: Sequence[Edit]) -> None:
        self.path = path
        self.edits = edits
        self.before = ""
        self.edited = Edited("")

    def __call__(self, data: bytes) -> bytes:
        encoding = detect_encoding(data)
        if encoding is None:
            raise ToolError(f"path: {self.path!r} is a binary file; edit changes text only.")
        self.before = encoding.decode(data)
        self.edited = apply_edits(self.before, self.edits)
        return encoding.encode(self.edited.text)


def _counted(edits: int) -> str:
    return "1 replacement" if edits == 1 else f"{edits} replacements"


def _evened_note(edited: Edited) -> str:
    if not edited.evened:
        return ""
    names = ", ".join(f"edits[{number}]" for number in edited.evened)
    return f" {names} matched only after quotes, dashes and blanks were evened out."
