"""The folder an agent works in: where it is, and making it on first use."""

from __future__ import annotations

import os.path
import stat
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from agents.core.errors import UserError

MAIN_SLUG = "main"
INSTRUCTIONS = "AGENTS.md"
# The first conversation's instructions; an empty one is a finished one.
BOOTSTRAP = "BOOTSTRAP.md"
# What a new workspace begins with. memory/ is for notes, canvas/ for pages that the agent shows.
TEMPLATES: tuple[str, ...] = (
    INSTRUCTIONS, "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "MEMORY.md", BOOTSTRAP,
)  # fmt: skip
FOLDERS: tuple[str, ...] = ("memory", "skills", "canvas")
# Bytes of blank lines that still count as nothing.
_EMPTY = 16
_TEMPLATES = Path(__file__).with_name("prompt") / "templates"


def workspace_path(*, slug: str, configured: str = "", base: str = "", is_base: bool) -> Path:
    """The absolute folder of the agent `slug`.

    `configured` is the agent's own setting. Without one it is `base` (the defaults' setting, or
    `workspace` in OPENCLAW_HOME) for the agent that `is_base`, and a folder beside it whose
    name ends in the agent's id for every other, so that no two share one by accident.
    """
    if configured:
        return _absolute(configured)
    root = _absolute(base or "workspace")
    return root if is_base else root.with_name(f"{root.name}-{slug}")


def workspace_problem(text: str) -> str:
    """Why `text` must not be a workspace, or "". An agent may read all that is below it."""
    if not text:
        return ""
    try:
        path = _absolute(text).resolve()
    except (UserError, ValueError, OSError):
        return _("is not the name of a folder")
    if path.exists() and not path.is_dir():
        return _("%(path)s is a file: choose a folder") % {"path": path}
    if _home().resolve().is_relative_to(path):
        return _("%(path)s contains the gateway's own secrets: choose another folder") % {
            "path": path
        }
    return ""


def workspace_ensure(path: Path, *, files: bool = True) -> Path:
    """Makes the folder (0700, with parents) if it is missing and returns it.

    A folder that is made here gets the files and folders to start from, but for `files` false; one
    that was there before is left alone, apart from a BOOTSTRAP.md that was emptied: it is removed.
    Raises UserError when the folder cannot be made or is none.
    """
    if path.is_dir():
        _bootstrap_end(path / BOOTSTRAP)
        return path
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if files:
            _furnish(path)
    except OSError as error:
        text = _("The workspace %(path)s cannot be made: %(reason)s. Choose another folder.")
        raise UserError(text % {"path": path, "reason": error.strerror}) from error
    return path


def _furnish(path: Path) -> None:
    for name in FOLDERS:
        (path / name).mkdir(mode=0o700, exist_ok=True)
    for name in TEMPLATES:
        if not (path / name).exists():
            text = (_TEMPLATES / name).read_text(encoding="utf-8")
            (path / name).write_text(text, encoding="utf-8")


def _bootstrap_end(path: Path) -> None:
    """The agent ends the first conversation by emptying the file: it may have no tool to delete."""
    with suppress(OSError):
        status = path.lstat()
        if (
            stat.S_ISREG(status.st_mode)
            and status.st_size <= _EMPTY
            and not path.read_text().strip()
        ):
            path.unlink()


def _home() -> Path:
    return Path(settings.OPENCLAW.home)


def _absolute(text: str) -> Path:
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        text = _("The workspace %(path)s names the home of an unknown user.") % {"path": text}
        raise UserError(text) from error
    # Joining keeps an absolute path as it is. Links are left for whoever opens a file.
    return Path(os.path.normpath(_home() / path))
