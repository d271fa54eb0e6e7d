"""Reads the arguments of a tool call: other spellings, types, clear errors.

The loop checks arguments against the schema; these functions hold for callers that do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from agents.core.errors import ToolError

# Names that models know from other programs' file tools.
FILE_ALIASES: Mapping[str, str] = {
    "file_path": "path",
    "filePath": "path",
    "filepath": "path",
    "file": "path",
}


def rename_aliases(arguments: Mapping[str, Any], aliases: Mapping[str, str]) -> dict[str, Any]:
    """A copy with every alias replaced by its real name. A real name that is given wins."""
    renamed = {key: value for key, value in arguments.items() if key not in aliases}
    for alias, name in aliases.items():
        if alias in arguments:
            renamed.setdefault(name, arguments[alias])
    return renamed


def text_argument(arguments: Mapping[str, Any], name: str) -> str:
    """The text called `name`. Raises ToolError when it is missing or no text."""
    value = arguments.get(name)
    if not isinstance(value, str):
        raise ToolError(f"{name}: expected text, {_given(value)}.")
    return value


def seconds_argument(arguments: Mapping[str, Any], name: str, default: float) -> float:
    """The duration called `name` in seconds, or `default` when it is not given.

    Raises ToolError when it is no number, negative or endless.
    """
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
        raise ToolError(f"{name}: expected a number of seconds, 0 or more, got {value!r}.")
    return float(value)


def number_argument(arguments: Mapping[str, Any], name: str, default: int, *, low: int) -> int:
    """The whole number called `name`, or `default` when it is not given.

    Raises ToolError when it is something else or lower than `low`.
    """
    value = arguments.get(name)
    if value is None:
        return default
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        raise ToolError(f"{name}: expected a whole number, {_given(value)}.")
    if value < low:
        raise ToolError(f"{name}: must be {low} or more, got {int(value)}.")
    return int(value)


def flag_argument(arguments: Mapping[str, Any], name: str) -> bool:
    """The flag called `name`, False when it is not given. Raises ToolError for anything else."""
    value = arguments.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise ToolError(f"{name}: expected true or false, {_given(value)}.")
    return value


def _given(value: object) -> str:
    return "but it is missing" if value is None else f"got {type(value).__name__}"
