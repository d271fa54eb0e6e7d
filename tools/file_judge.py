"""The judge of files: whose notes are whose, and which files somebody is asked about."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from agents.core.errors import ToolError
from agents.core.messages import ToolCall
from agents.core.tools import Deny, Park, ToolContext, Verdict
from agents.memory.places import audience_of, audiences_for, notes_folder
from agents.prompt.modes import OWNER_FILES
from tools.arguments import FILE_ALIASES
from tools.danger import instructs
from tools.exec_rules import exec_book_fetch, exec_book_known
from tools.patching.document import UpdateFile
from tools.patching.parse import parse_patch
from tools.sandbox.mounts import AGENT, WORKSPACE

RULE = "files"
_WRITES = frozenset({"write", "edit", "apply_patch"})
_READS = frozenset({"read", "image", "pdf", "image_generate", "video_generate", "browser"})
_NAMES = ("path", *FILE_ALIASES, "image", "images", "pdf", "pdfs", "paths")
_OWNERS = frozenset(name.casefold() for name in OWNER_FILES)


async def files_prepare(calls: Sequence[ToolCall], context: ToolContext) -> None:
    """Reads the rules for commands, where a file is written that programs take orders from."""
    if any(_commands_programs(path, context) for call in calls for path in _written(call, context)):
        await exec_book_fetch(context)


def judge_files(call: ToolCall, context: ToolContext) -> Verdict | None:
    """Denies others what is an owner's or somebody else's, and has somebody asked before a file
    is written that tells programs what to run; None for everything else."""
    if not context.principal.is_owner:
        for path in (*_read(call, context), *_written(call, context)):
            if why := _foreign(path, context, writes=call.name in _WRITES):
                return Deny(f"Denied by the rule {RULE!r}: {why}")
    for path in _written(call, context):
        if _commands_programs(path, context):
            return _asked(path, context)
    return None


def _read(call: ToolCall, context: ToolContext) -> list[Path]:
    return [_real(given, context) for given in _given(call)] if call.name in _READS else []


def _written(call: ToolCall, context: ToolContext) -> list[Path]:
    return [_real(given, context) for given in _given(call)] if call.name in _WRITES else []


def _given(call: ToolCall) -> Iterator[str]:
    """Every path that a call names, as far as it can be read."""
    if call.name == "apply_patch":
        yield from _patched(call.arguments.get("input"))
        return
    for name in _NAMES:
        value = call.arguments.get(name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and "\0" not in one and not one.startswith("data:"):
                yield one.strip().removeprefix("@").removeprefix("file://")


def _patched(patch: Any) -> Iterator[str]:
    try:
        parts = parse_patch(str(patch or ""))
    except ToolError:
        # The tool itself tells what is wrong with it, and changes nothing.
        return
    for part in parts:
        yield part.path
        if isinstance(part, UpdateFile) and part.move_to:
            yield part.move_to


def _real(given: str, context: ToolContext) -> Path:
    """Where a path leads, links followed. In a sandbox the workspace has another name."""
    if given == "~" or given.startswith("~/"):
        given = str(Path.home()) + given[1:]
    for folder in (WORKSPACE, AGENT) if context.sandboxed else ():
        if given == folder or given.startswith(f"{folder}/"):
            given = given.removeprefix(folder).lstrip("/")
    return Path(os.path.realpath(context.workspace / given))


def _foreign(path: Path, context: ToolContext, *, writes: bool) -> str:
    """Why a path is not for somebody who is no owner; "" when it is."""
    root = context.workspace.resolve()
    if not path.is_relative_to(root) or path == root:
        return ""
    below = path.relative_to(root)
    # A disk may take names in any case for the same.
    parts = [part.casefold() if at < 2 else part for at, part in enumerate(below.parts)]
    if len(parts) == 1 and parts[0] in _OWNERS:
        return f"{below} is the owner's."
    if writes and instructs(below):
        return f"{below} instructs the agent, which only owners change."
    if parts[0] != "memory":
        return ""
    # What a folder holds is told to whom its notes are for.
    folder = [*parts, ""] if len(parts) <= 3 else parts
    if audience_of("/".join(folder)) in audiences_for(context.principal):
        return ""
    own = notes_folder(context.principal)
    return f"{below} is no note of this conversation. Its notes are in {own}/ and memory/shared/."


def _commands_programs(path: Path, context: ToolContext) -> bool:
    """Whether programs that are allowed take orders from the file: git's own files, settings in
    the home folder, what is the gateway's. What is written inside a sandbox stays there."""
    if context.sandboxed:
        return False
    if any(part.casefold() == ".git" for part in path.parts):
        return True
    root = context.workspace.resolve()
    state = Path(os.path.realpath(settings.OPENCLAW.home))
    if path.is_relative_to(state):
        # Plugins, keys and rows are there; workspaces are, too, mostly in a folder of their own.
        beside = root if root.parent == state else root.parent
        # A new file beside them is nobody's; what is there, or in a folder, is the gateway's.
        is_new = path.parent == state and not path.exists()
        return not path.is_relative_to(beside) and not is_new
    home = Path(os.path.realpath(Path.home()))
    if not path.is_relative_to(home) or path == home:
        return False
    first = path.relative_to(home).parts[0]
    is_own = root.is_relative_to(home / first) and path.is_relative_to(root)
    return first.startswith(".") and not is_own


def _asked(path: Path, context: ToolContext) -> Verdict | None:
    book = exec_book_known(context.agent_id)
    if book is not None and book.security == "full" and context.principal.is_owner:
        # Who may run everything gains nothing by such a file.
        return None
    why = f"{path} tells programs such as git, shells or the gateway what to run."
    if not context.attended:
        return Deny(f"Denied by the rule {RULE!r}: {why} Nobody can be asked now.")
    return Park(ref="", reason=why, kind="tool", decisions=("allow-once", "deny"))
