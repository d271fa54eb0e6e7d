"""How much of the prompt a run gets. Pure."""

from __future__ import annotations

from typing import Literal

PromptMode = Literal["full", "minimal", "none"]

# Files of the workspace that become part of the prompt, in order (runtime.md 10.1, the seeds).
FULL_FILES: tuple[str, ...] = (
    "AGENTS.md",
    "SOUL.md",
    "IDENTITY.md",
    "USER.md",
    "TOOLS.md",
    "BOOTSTRAP.md",
    "MEMORY.md",
)
# design 10: what a child of another agent gets.
MINIMAL_FILES: tuple[str, ...] = ("AGENTS.md", "TOOLS.md")
# Long-term notes are for the owner's eyes.
OWNER_FILES = frozenset({"MEMORY.md", "USER.md", "BOOTSTRAP.md"})


def prompt_mode(session_key: str) -> PromptMode:
    """Children of other agents and jobs get the minimal prompt, everybody else the full one."""
    kinds = session_key.split(":")[2:]
    return "minimal" if "subagent" in kinds or kinds[:1] == ["cron"] else "full"


def prompt_files(mode: PromptMode, *, owner: bool) -> tuple[str, ...]:
    """The names of the files for this mode; what is the owner's only where `owner`."""
    if mode == "none":
        return ()
    if mode == "minimal":
        return MINIMAL_FILES
    return tuple(name for name in FULL_FILES if owner or name not in OWNER_FILES)
