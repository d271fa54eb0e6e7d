"""Reads the arguments of one call of `browser`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.core.errors import ToolError
from tools.arguments import flag_argument, number_argument, text_argument
from tools.browser.schema import ACTIONS, KINDS, PROFILE

# Milliseconds of one step, and the most that a call may ask for.
TIMEOUT_MS = 20_000
MOST_TIMEOUT_MS = 120_000


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call, fields of `request` beside the others."""

    given: Mapping[str, Any]

    @property
    def action(self) -> str:
        """What is to be done."""
        return str(self.given["action"])

    @property
    def timeout(self) -> float:
        """Milliseconds that one step may take."""
        return min(self.number("timeoutMs", TIMEOUT_MS), MOST_TIMEOUT_MS)

    def text(self, name: str, default: str = "") -> str:
        """A text, `default` when it is not given. Raises ToolError for anything else."""
        if self.given.get(name) is None:
            return default
        return text_argument(self.given, name)

    def needed(self, name: str) -> str:
        """A text that must be there. Raises ToolError."""
        found = self.text(name)
        if not found:
            raise ToolError(f"{name}: is needed for {self._what}.")
        return found

    def number(self, name: str, default: int, low: int = 1) -> int:
        """A whole number of at least `low`. Raises ToolError."""
        return number_argument(self.given, name, default, low=low)

    def coordinate(self, name: str) -> float:
        """A number of pixels that must be there. Raises ToolError."""
        value = self.given.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
            raise ToolError(f"{name}: a number of pixels is needed for {self._what}.")
        return float(value)

    def flag(self, name: str) -> bool:
        """A flag, False when it is not given. Raises ToolError."""
        return flag_argument(self.given, name)

    def texts(self, name: str) -> list[str]:
        """A list of texts, empty when it is not given. Raises ToolError."""
        value = self.given.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ToolError(f"{name}: expected a list of texts.")
        return value

    @property
    def _what(self) -> str:
        return f"act {self.text('kind')}" if self.action == "act" else self.action


def arguments_read(given: Mapping[str, Any]) -> Arguments:
    """The arguments of a call. Raises ToolError that names what is wrong."""
    flat = {name: value for name, value in given.items() if value is not None}
    request = flat.pop("request", None)
    if request is not None:
        if not isinstance(request, Mapping):
            raise ToolError("request: expected an object with kind and its fields.")
        flat |= {name: value for name, value in request.items() if value is not None}
    if "targetUrl" in flat:
        flat.setdefault("url", flat.pop("targetUrl"))
    found = Arguments(flat)
    _check_choice("action", flat.get("action"), ACTIONS)
    if found.action == "act":
        _check_choice("kind", flat.get("kind"), KINDS)
    if flat.get("target", "host") != "host":
        raise ToolError("target: only host is there; leave it out.")
    if flat.get("profile", PROFILE) != PROFILE:
        raise ToolError(f"profile: only {PROFILE!r} is there; leave it out.")
    return found


def _check_choice(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        given = "is missing" if value is None else f"got {value!r}"
        raise ToolError(f"{name}: must be one of {', '.join(known)}; {given}.")
