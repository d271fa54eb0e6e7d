"""Which calls could do harm when text from outside talked an agent into them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from agents.core.errors import ToolError
from agents.core.messages import ToolCall
from agents.core.registry import Registry
from agents.core.tools import ToolContext
from tools.arguments import FILE_ALIASES
from tools.patching.document import UpdateFile
from tools.patching.parse import parse_patch
from tools.policy.names import GROUPS, name_normalise
from tools.registry import TOOLS
from tools.workspace.paths import path_steps

Danger = Callable[[Mapping[str, Any], ToolContext], bool]

# By the normalised name of a tool: whether a call with these arguments could do harm.
DANGEROUS: Registry[Danger] = Registry("dangerous tool")

# An agent takes these files of its workspace as instructions, so who writes them commands it.
INSTRUCTION_FILES = frozenset(
    {"agents.md", "soul.md", "tools.md", "identity.md", "user.md", "memory.md", "heartbeat.md"}
    | {"bootstrap.md", "boot.md"}
)
_INSTRUCTION_FOLDERS = frozenset({"skills", ".agents", ".openclaw"})


def call_dangerous(call: ToolCall, context: ToolContext, also: Sequence[str] = ()) -> bool:
    """Whether the call is of the dangerous class. What cannot be read counts as dangerous.

    `also` are names, patterns and groups that an administrator adds. A tool of a plugin or an
    MCP server belongs to the class when it says so itself: `dangerous = True`.
    """
    name = name_normalise(call.name)
    if any(_named(name, entry) for entry in also):
        return True
    if name in DANGEROUS:
        try:
            return DANGEROUS.get(name)(call.arguments, context)
        except (ToolError, ValueError, TypeError, OSError, RuntimeError):
            return True
    return call.name in TOOLS and bool(getattr(TOOLS.get(call.name), "dangerous", False))


def _named(name: str, entry: str) -> bool:
    entry = name_normalise(entry)
    if entry.startswith("group:"):
        return name in GROUPS.get(entry.removeprefix("group:"), ())
    return fnmatchcase(name, entry)


def _always(arguments: Mapping[str, Any], context: ToolContext) -> bool:
    return True


def _except_for(*actions: str) -> Danger:
    """Every call but those whose `action` only looks at something."""
    harmless = frozenset(actions)

    def dangerous(arguments: Mapping[str, Any], context: ToolContext) -> bool:
        return str(arguments.get("action", "")).strip().lower() not in harmless

    return dangerous


def _writes_file(arguments: Mapping[str, Any], context: ToolContext) -> bool:
    given = [arguments[name] for name in ("path", *FILE_ALIASES) if name in arguments]
    return any(_is_guarded(str(path), context.workspace) for path in given)


def _patches_files(arguments: Mapping[str, Any], context: ToolContext) -> bool:
    paths: list[str] = []
    for part in parse_patch(str(arguments.get("input", ""))):
        paths.append(part.path)
        if isinstance(part, UpdateFile) and part.move_to:
            paths.append(part.move_to)
    return any(_is_guarded(path, context.workspace) for path in paths)


def _is_guarded(given: str, workspace: Path) -> bool:
    """Whether a path leads outside the workspace or to what the agent is instructed by."""
    real = workspace.resolve()
    try:
        steps = path_steps(given, workspace, real)
    except ToolError:
        return True
    place = real.joinpath(*steps).resolve() if steps else real
    if not place.is_relative_to(real):
        return True
    return instructs(place.relative_to(real))


def instructs(path: Path) -> bool:
    """Whether an agent takes the file at `path`, relative to its workspace, as instructions."""
    parts = [part.casefold() for part in path.parts]
    if not parts:
        return False
    return parts[0] in _INSTRUCTION_FOLDERS or (len(parts) == 1 and parts[0] in INSTRUCTION_FILES)


# What runs something, reaches somebody else, or changes what the gateway does later.
for _name in ("exec", "code_execution", "nodes", "message", "sessions_send", "sessions_spawn"):
    DANGEROUS.register(_name, _always)
DANGEROUS.register("process", _except_for("list", "poll", "log"))
DANGEROUS.register("gateway", _except_for("config.get", "config.schema.lookup", "config.schema"))
DANGEROUS.register("cron", _except_for("list", "status", "runs"))
DANGEROUS.register("write", _writes_file)
DANGEROUS.register("edit", _writes_file)
DANGEROUS.register("apply_patch", _patches_files)
