"""`tools.exec` and `tools.elevated`, for all agents and for one (runtime.md 4.2, 7)."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field

from agents.config.schema import Kept, Strict

MOST = 200


def _program(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}", name):
        raise ValueError(_("must be the name of a program without a path"))
    return name


def _folder(path: str) -> str:
    if not path.startswith(("/", "~/")) or ":" in path or "\0" in path:
        raise ValueError(_("must be an absolute path, or begin with ~/, without a colon"))
    return path


def _option(text: str) -> str:
    if not re.fullmatch(r"-[A-Za-z0-9]|--[A-Za-z0-9][A-Za-z0-9-]*", text):
        raise ValueError(_("must be an option such as -f or --file"))
    return text


Program = Annotated[str, AfterValidator(_program)]
Folder = Annotated[str, AfterValidator(_folder)]
Option = Annotated[str, AfterValidator(_option)]
Options = Annotated[list[Option], Field(max_length=MOST)]
Folders = Annotated[list[Folder], Field(max_length=MOST)]
Sender = Annotated[str, Field(min_length=1, max_length=200)]
ElevatedLevel = Literal["off", "on", "ask", "full"]
SecurityMode = Literal["deny", "allowlist", "full"]


class SafeBin(Strict):
    """How a filter may be called: words beside options, options with values, refused options."""

    min_positional: int = Field(default=0, ge=0, le=100)
    max_positional: int = Field(default=0, ge=0, le=100)
    allowed_value_flags: Options = []
    denied_flags: Options = []


class ExecRules(Strict):
    """Who may run which commands; None says nothing, an agent's value replaces that of all."""

    host: Literal["auto", "sandbox", "gateway", "node"] | None = None
    security: SecurityMode | None = None
    ask: Literal["off", "on-miss", "always"] | None = None
    # What holds when somebody should be asked and nobody can answer.
    ask_fallback: SecurityMode | None = None
    path_prepend: Folders | None = None
    safe_bins: Annotated[list[Program], Field(max_length=MOST)] | None = None
    safe_bin_profiles: dict[Program, SafeBin] | None = None
    safe_bin_trusted_dirs: Folders | None = None
    strict_inline_eval: bool | None = None
    # Whether a session hears of a background command's end; of one without output only if it
    # failed, unless the second is set.
    notify_on_exit: bool | None = None
    notify_on_exit_empty_success: bool | None = None

    node: Kept = None
    approval_running_notice_ms: Kept = None


class Elevated(Strict):
    """Whose commands may leave the sandbox: for each channel the senders, "*" for all of it."""

    enabled: bool = True
    allow_from: dict[str, Annotated[list[Sender], Field(max_length=500)]] | None = None
