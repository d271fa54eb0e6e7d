"""The tool `apply_patch`: changes several text files of the workspace by one patch."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from tools.arguments import rename_aliases, text_argument
from tools.builtin.exec.settings import ExecSettings
from tools.exec_settings import exec_settings, exec_settings_known
from tools.patching.apply import Applied, patch_apply
from tools.patching.document import Section
from tools.patching.parse import parse_patch

# Larger patches are made by mistake; a model's answer is far shorter.
_MOST_CHARACTERS = 4_000_000
# Providers whose models were taught this form of patches.
_FAMILY = ("openai/", "openai-", "azure/", "azure-openai")

_DESCRIPTION = (
    "Change files of the workspace by a patch: make, delete, update and move several at once, all "
    "or none. `input` begins with '*** Begin Patch' and ends with '*** End Patch'. Between them "
    "stand sections: '*** Add File: path' (then lines that begin with '+'), '*** Delete File: "
    "path', '*** Update File: path' (then optionally '*** Move to: path', then hunks). A hunk "
    "begins with '@@', optionally followed by a line of the file that comes before it; its lines "
    "begin with ' ' (kept), '-' (removed) or '+' (added); '*** End of File' ends a hunk at the end "
    "of the file. Give about three kept lines around each change."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "The whole patch."}},
    "required": ["input"],
    "additionalProperties": False,
}
_ALIASES: Mapping[str, str] = {"patch": "input", "patchText": "input", "patch_text": "input"}


class ApplyPatchTool:
    """Applies a patch: every section of it, or nothing."""

    name = "apply_patch"
    label = "Apply a patch"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    repeatable = False
    # In order with the other calls of its batch, which may be about the same files.
    execution: Literal["parallel", "sequential"] = "sequential"

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments with `input` in place of its aliases."""
        return rename_aliases(arguments, _ALIASES)

    def offered_in(self, context: ToolContext) -> bool:
        """Whether the turn's model is one that was taught this form of patches."""
        settings = exec_settings_known(context)
        return settings.patch_enabled and _wanted(context.model, settings.patch_models)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The files that were added (A), modified (M) and deleted (D). Raises ToolError, and then
        every file is as it was."""
        text = text_argument(self.prepare(arguments), "input")
        if len(text) > _MOST_CHARACTERS:
            raise ToolError(f"input: is longer than {_MOST_CHARACTERS:,} characters.")
        settings = await exec_settings(context)
        return await asyncio.to_thread(self._apply, _cleaned(text), context, settings)

    def applied(
        self, context: ToolContext, sections: Sequence[Section], settings: ExecSettings
    ) -> Applied:
        """Carries out all sections, or none. Blocking. Raises ToolError."""
        if settings.patch_workspace_only or not context.principal.is_owner:
            return patch_apply(context.workspace, sections)

        def resolve(path: str) -> str:
            return os.path.join(context.workspace, Path(path).expanduser())  # noqa: PTH118

        # With the whole disk as its folder the walk still refuses /proc, /sys and /dev.
        return patch_apply(Path("/"), sections, resolve=resolve)

    def _apply(self, text: str, context: ToolContext, settings: ExecSettings) -> ToolResult:
        return _result(self.applied(context, parse_patch(text), settings))


APPLY_PATCH = ApplyPatchTool()


def _cleaned(text: str) -> str:
    """The patch with broken characters replaced; in a path they are refused."""
    cleaned = clean_text(text)
    if cleaned == text:
        return text
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("***") and clean_text(line) != line:
            raise ToolError(f"input line {number}: contains a NUL or half of a character.")
    return cleaned


def _wanted(model: str, stated: Sequence[str]) -> bool:
    """Whether provider/model is among the stated names, or in the default set without any."""
    name = model.lower()
    if not stated:
        return name.startswith(_FAMILY)
    bare = name.partition("/")[2]
    return any(fnmatchcase(one, entry.lower()) for entry in stated for one in (name, bare) if one)


def _result(applied: Applied) -> ToolResult:
    paths = {kind: [one.path for one in applied.changes if one.kind == kind] for kind in "AMD"}
    changed = list(dict.fromkeys(f"{one.kind} {one.path}" for one in applied.changes))
    lines = ["The patch was applied:", *changed, *applied.notes]
    summary = {"added": paths["A"], "modified": paths["M"], "deleted": paths["D"]}
    return ToolResult.text("\n".join(lines), summary=summary, diff=applied.diff)
