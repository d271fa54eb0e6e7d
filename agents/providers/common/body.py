"""JSON out and in, fast where it is clean and forgiving where it is not."""

from __future__ import annotations

import json
from typing import Any

import orjson

from agents.core.clean_text import clean_json

# Beyond this the fast writer refuses an integer; as a float it keeps its size, as in JavaScript.
_INT_LIMIT = 2**63


def json_encode(value: Any) -> bytes:
    """`value` as JSON. Lone surrogates become U+FFFD, so that a service can never refuse them.

    The clean case costs one pass; the text is only walked when the fast writer refused it.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(clean_json(value), ensure_ascii=False, default=str).encode()


def json_decode(data: bytes | str) -> Any:
    """The value of a JSON text; half surrogates stay, for their other half may come later.

    Raises ValueError when it is not JSON, or nested deeper than can be read.
    """
    try:
        return orjson.loads(data)
    except ValueError:
        return _forgiving(data)


def _forgiving(data: bytes | str) -> Any:
    try:
        return json.loads(data, parse_int=_bounded_int, strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _bounded_int(digits: str) -> int | float:
    number = int(digits)
    return number if abs(number) < _INT_LIMIT else float(number)
