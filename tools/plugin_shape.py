"""What an object of a plugin must have to be a tool."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any


def tool_problem(tool: Any) -> str:
    """What is missing, "" when it is a tool."""
    for attribute in ("label", "description"):
        if not isinstance(getattr(tool, attribute, None), str):
            return f"{attribute} must be a text"
    parameters = getattr(tool, "parameters", None)
    if not isinstance(parameters, Mapping) or parameters.get("type") != "object":
        return "parameters must be a JSON Schema of type object"
    if not isinstance(getattr(tool, "repeatable", None), bool):
        return "repeatable must be true or false"
    if getattr(tool, "execution", None) not in ("parallel", "sequential"):
        return "execution must be 'parallel' or 'sequential'"
    if not iscoroutinefunction(getattr(tool, "execute", None)):
        return "execute must be a coroutine function"
    return ""
