"""The arguments of a streamed tool call: whole, or an error, never lost and never emptied.

Services stream arguments as JSON text, and some spoil it. What is understood:

- one object, also as a JSON string that holds one, or with a little noise around it
  (a code fence, a closing tag);
- nothing at all, for a tool that requires no parameter (`{}` then);
- several objects glued together, `{"a":1}{"a":2}`. They are several calls that lost their
  borders. The name decides whose: several known tool names glued the same number of times
  ("readwrite", "readread") give one call each; one name gives that tool n calls, identical
  objects counting once (a service that sends the arguments again at the end). Any other name is
  an error, for guessing a tool is worse than asking the model again.

Everything else raises `MalformedCallError`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import jiter
import orjson

from agents.core.clean_text import clean_json
from agents.core.model import ToolSchema
from agents.providers.common.body import json_decode

# Noise that may surround the object, in characters (the reference's limits).
_MAX_LEADING = 96
_MAX_TRAILING = 3
_MAX_SALVAGE = 64_000

_DECODER = json.JSONDecoder(strict=False)
Arguments = dict[str, Any]
Tools = Mapping[str, ToolSchema]


class MalformedCallError(ValueError):
    """The arguments of a call cannot be known. The text says which call, for the person."""


def calls_parse(name: str, raw: str, tools: Tools, *, ended: bool) -> list[tuple[str, Arguments]]:
    """The calls (name, arguments) that a streamed call stands for; nearly always one.

    `ended` says that the service finished its answer properly: only then may nothing mean "no
    arguments". Raises MalformedCallError.
    """
    objects = _objects(raw.strip())
    if objects is None:
        raise MalformedCallError(f"the arguments of {name} are incomplete ({_arrived(raw)})")
    if not objects:
        return [(name, _no_arguments(name, tools, ended=ended))]
    if len(objects) == 1:
        return [(name, objects[0])]
    return list(zip(_owners(name, objects, tools), _distinct(name, objects, tools), strict=True))


def _objects(text: str) -> list[Arguments] | None:
    """All objects of the text in order; empty for no text or null; None if it is spoilt."""
    if text in ("", "null"):
        return []
    try:
        value = json_decode(text)
    except ValueError:
        return _glued_objects(text) or _salvaged(text)
    if isinstance(value, str):
        return _objects(value.strip()) if value.lstrip().startswith("{") else None
    return [_clean(value)] if isinstance(value, dict) else None


def _clean(value: Any) -> Arguments:
    try:
        orjson.dumps(value)
    except TypeError:
        return dict(clean_json(value))
    return dict(value)


def _glued_objects(text: str) -> list[Arguments] | None:
    found: list[Arguments] = []
    position = 0
    while position < len(text):
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict):
            return None
        found.append(_clean(value))
        position += len(text[position:]) - len(text[position:].lstrip())
    return found


def _salvaged(text: str) -> list[Arguments] | None:
    """One object with noise before or after it. What is cut off must be small and hold no JSON."""
    start = text.find("{", 0, _MAX_LEADING + 1)
    if start < 0 or len(text) > _MAX_SALVAGE:
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    rest = text[end:].strip()
    if not isinstance(value, dict) or len(rest) > _MAX_TRAILING or "{" in rest:
        return None
    return [_clean(value)]


def _no_arguments(name: str, tools: Tools, *, ended: bool) -> Arguments:
    if not ended:
        raise MalformedCallError(f"the answer broke off before the arguments of {name}")
    required = tools[name].parameters.get("required") if name in tools else None
    if required:
        missing = ", ".join(map(str, required))
        raise MalformedCallError(f"the arguments of {name} were lost (it needs {missing})")
    return {}


def _distinct(name: str, objects: Sequence[Arguments], tools: Tools) -> list[Arguments]:
    if name not in tools:
        return list(objects)
    kept: list[Arguments] = []
    for candidate in objects:
        if candidate not in kept:
            kept.append(candidate)
    return kept


def _owners(name: str, objects: Sequence[Arguments], tools: Tools) -> list[str]:
    """The tool of each glued object."""
    if name in tools:
        return [name] * len(_distinct(name, objects, tools))
    names = names_split(name, tools, len(objects))
    if names is None:
        raise MalformedCallError(f"{len(objects)} calls arrived glued together as {name}")
    return names


def names_split(name: str, tools: Tools, count: int) -> list[str] | None:
    """`name` as exactly `count` known tool names glued together; None when it is not."""
    if count == 0:
        return None if name else []
    for known in tools:
        if known and name.startswith(known):
            rest = names_split(name[len(known) :], tools, count - 1)
            if rest is not None:
                return [known, *rest]
    return None


def is_complete(raw: str) -> bool:
    """Whether the text is already a whole JSON object."""
    text = raw.strip()
    if not text.endswith("}"):
        return False
    try:
        return isinstance(json_decode(text), dict)
    except ValueError:
        return False


def _arrived(raw: str) -> str:
    """Which fields had begun to arrive, for the person who reads the failure."""
    try:
        value = jiter.from_json(raw.strip().encode("utf-8", "replace"), partial_mode=True)
    except ValueError:
        value = None
    fields = ", ".join(value) if isinstance(value, dict) else ""
    return f"of its fields arrived: {fields}" if fields else "nothing of them is usable"
