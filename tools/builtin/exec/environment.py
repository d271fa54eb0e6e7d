"""Which variables a command gets: a short list of harmless ones, and what the call adds.

The worker's own environment holds API keys and tokens; nothing is inherited unless named here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from agents.core.clean_text import clean_text
from agents.core.errors import ToolError
from tools.builtin.exec.environment_names import always_removed, refused_in_calls

_INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TERM", "COLORTERM", "TZ"),
    *("TMPDIR", "TEMP", "TMP"),
)
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def command_environment(
    inherited: Mapping[str, str],
    run: Mapping[str, str],
    call: Mapping[str, str],
    prepend: Sequence[str] = (),
) -> dict[str, str]:
    """The whole environment of a command.

    From `inherited` only harmless names; `run` is what the gateway sets for this run and may hold
    keys that its owner granted; `call` is what the model asked for, already checked. `prepend` are
    folders that come first on its PATH.
    """
    environment = {"PATH": _DEFAULT_PATH, "TERM": "dumb", "LANG": "C.UTF-8"}
    environment["HOME"] = str(Path.home())
    environment |= {name: value for name, value in inherited.items() if _inheritable(name)}
    environment |= {name: value for name, value in run.items() if not always_removed(name)}
    environment |= {**call, "OPENCLAW_SHELL": "exec"}
    environment["PATH"] = ":".join((*prepend, environment["PATH"]))
    return environment


def command_path(
    inherited: Mapping[str, str], run: Mapping[str, str], prepend: Sequence[str] = ()
) -> str:
    """The PATH of that environment; a call cannot choose it."""
    return command_environment(inherited, run, {}, prepend)["PATH"]


def checked_variables(given: object) -> dict[str, str]:
    """The `env` argument of a call, {} when it is not given.

    Raises ToolError that names the variable when one is malformed or must not be set.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ToolError("env: expected an object of names and texts.")
    for name, value in given.items():
        _check_variable(name, value)
    return {name: clean_text(value) for name, value in given.items()}


def _check_variable(name: object, value: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ToolError(f"env: {name!r} is no name for a variable (letters, digits, underscore).")
    if not isinstance(value, str) or "\0" in value:
        raise ToolError(f"env.{name}: expected text without NUL bytes.")
    if refused_in_calls(name):
        raise ToolError(
            f"env.{name}: may not be set for a command, because it changes which programs, files "
            "or accounts are used. Set it inside the command if it is really needed."
        )


def _inheritable(name: str) -> bool:
    listed = name in _INHERITED or name.startswith("LC_")
    return listed and not _SECRET.search(name.upper())
