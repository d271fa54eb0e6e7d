"""Reads environment variables and refuses bad ones by name.

Pure Python: the supervisor and the settings both use it. An empty variable counts as unset.
"""

from __future__ import annotations

import os
from urllib.parse import SplitResult, urlsplit

from agents.core.errors import UserError

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class EnvironmentInvalid(UserError):
    """A variable holds something that cannot be used; the text names it and the fix."""

    code = "environment_invalid"


def env_text(name: str, default: str = "") -> str:
    """The variable without surrounding blanks, or `default` when it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def env_number(name: str, default: int, *, low: int, high: int) -> int:
    """The variable as a whole number in [low, high]. Raises EnvironmentInvalid otherwise."""
    value = env_text(name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        raise EnvironmentInvalid(
            f"{name} must be a whole number from {low} to {high}, not {value!r}"
        )
    return int(value)


def env_flag(name: str, default: bool = False) -> bool:
    """The variable as yes or no. Raises EnvironmentInvalid for any other word."""
    value = env_text(name).lower()
    if not value:
        return default
    if value not in _TRUE | _FALSE:
        raise EnvironmentInvalid(f"{name} must be 1 or 0, not {value!r}")
    return value in _TRUE


def env_words(name: str) -> tuple[str, ...]:
    """The comma-separated parts of the variable, blanks removed, empty parts dropped."""
    return tuple(part.strip() for part in env_text(name).split(",") if part.strip())


def env_url(name: str, schemes: tuple[str, ...]) -> SplitResult | None:
    """The variable as a URL of one of `schemes`, None when unset.

    Raises EnvironmentInvalid; the message never repeats the value, which may hold a password.
    """
    value = env_text(name)
    if not value:
        return None
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError as exc:
        raise EnvironmentInvalid(f"{name} is not a valid URL") from exc
    if parts.scheme not in schemes:
        raise EnvironmentInvalid(
            f"{name} must start with {' or '.join(f'{s}://' for s in schemes)}"
        )
    return parts
