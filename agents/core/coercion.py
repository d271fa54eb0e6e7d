"""Converts one value to the type that was meant, where only one reading is possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import orjson


class _Missing:
    """The type of MISSING."""


# What null becomes where null is not allowed: the value was not given.
MISSING = _Missing()


def coerce(value: Any, types: Sequence[str]) -> Any:
    """`value` as the first of `types` that it can be read as; the same object when as none.

    `types` are JSON Schema type names. Returns MISSING for null. Never raises.
    """
    if value is None:
        return MISSING if types else None
    for name in types:
        read = _READERS.get(name)
        reading = None if read is None else read(value)
        if reading is not None:
            return reading
    return value


def _number(value: Any) -> int | float | None:
    if not isinstance(value, str):
        return None
    try:
        number = orjson.loads(value.strip())
    except orjson.JSONDecodeError:
        return None
    return number if _is_number(number) else None


def _integer(value: Any) -> int | None:
    number = value if isinstance(value, float) else _number(value)
    if number is None or not math.isfinite(number) or number != int(number):
        return None
    return int(number)


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return {0: False, 1: True}.get(value) if _is_number(value) else None


def _string(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _parsed(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return None
        try:
            parsed = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
        return parsed if isinstance(parsed, kind) else None

    return read


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_READERS: dict[str, Callable[[Any], Any]] = {
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "string": _string,
    "array": _parsed(list),
    "object": _parsed(dict),
}
