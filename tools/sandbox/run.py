"""A command inside a sandbox as a program of this machine, so that all that is known about running
programs (time limits, stopping, output, background, terminals) holds for it."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import orjson

from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from tools.arguments import flag_argument, number_argument, seconds_argument, text_argument
from tools.builtin.exec.environment import checked_variables
from tools.builtin.exec.process import Command
from tools.builtin.exec.request import LEAST_YIELD, MOST_YIELD, Request
from tools.builtin.exec.settings import ExecSettings
from tools.sandbox.choice import SandboxPlan
from tools.sandbox.containers import Ready
from tools.sandbox.engine import engine_variables
from tools.sandbox.mounts import inside_path

_ATTACH = Path(__file__).with_name("attach.py")
_TERMINAL = "xterm-256color"
_PASSED = ("PATH", "HOME", "LANG", "TMPDIR")

Kind = Literal["none", "pipe", "pty"]


def command_request(
    arguments: Mapping[str, Any], plan: SandboxPlan, ready: Ready, settings: ExecSettings
) -> tuple[Request, str]:
    """The checked arguments of a call of exec, and the folder inside that it starts in.

    Raises ToolError that names the argument that cannot be used.
    """
    text = text_argument(arguments, "command")
    if not text.strip():
        raise ToolError("command: is empty.")
    if "\0" in text:
        raise ToolError("command: contains a NUL byte.")
    folder = _folder(arguments.get("workdir"), plan, ready)
    pty, background = flag_argument(arguments, "pty"), flag_argument(arguments, "background")
    kind: Kind = "pty" if pty else "pipe" if background else "none"
    usual = round(settings.background_seconds * 1000)
    after = number_argument(arguments, "yieldMs", usual, low=LEAST_YIELD)
    variables = {**checked_variables(arguments.get("env")), "OPENCLAW_SHELL": "exec"}
    if pty:
        variables.setdefault("TERM", _TERMINAL)
    command = Command(
        argv=attach_argv(plan.name, folder, kind, clean_text(text)),
        folder=plan.folder,
        environment=_environment(variables),
        seconds=seconds_argument(arguments, "timeout", settings.timeout_seconds),
    )
    seconds = min(after, MOST_YIELD) / 1000
    return Request(clean_text(text), command, seconds, background, pty), folder


def attach_argv(container: str, folder: str, kind: Kind, command: str) -> list[str]:
    """The program that stands for a command inside, with a mark of its own."""
    mark = secrets.token_hex(12)
    return [sys.executable, "-I", str(_ATTACH), container, folder, kind, mark, command]


def _folder(given: object, plan: SandboxPlan, ready: Ready) -> str:
    if given is None or given == "":
        return plan.config.docker.workdir
    if not isinstance(given, str) or "\0" in given:
        raise ToolError("workdir: expected the path of a folder.")
    return inside_path(given, ready.mounts)


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    # For the program that stands for the command; only `variables` reach the inside.
    own = {name: os.environ[name] for name in _PASSED if name in os.environ}
    return {**own, **engine_variables(), "OC_SANDBOX_ENV": orjson.dumps(variables).decode()}
