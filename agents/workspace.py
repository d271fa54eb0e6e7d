"""The folder an agent works in: where it is, and making it on first use."""

from __future__ import annotations

import os.path
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from agents.core.errors import UserError

MAIN_SLUG = "main"
INSTRUCTIONS = "AGENTS.md"
_TEMPLATE = Path(__file__).with_name("prompt") / "templates" / INSTRUCTIONS


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


def workspace_ensure(path: Path) -> Path:
    """Makes the folder (0700, with parents) if it is missing and returns it.

    A folder that is made here gets an AGENTS.md to start from; one that was there before is left
    alone. Raises UserError when it cannot be made or is no folder.
    """
    if path.is_dir():
        return path
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        instructions = path / INSTRUCTIONS
        if not instructions.exists():
            instructions.write_text(_TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        text = _("The workspace %(path)s cannot be made: %(reason)s. Choose another folder.")
        raise UserError(text % {"path": path, "reason": error.strerror}) from error
    return path


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
