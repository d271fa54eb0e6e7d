"""Places inside a configuration document, as data and as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

Path = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*\Z")


def path_text(path: Sequence[str | int]) -> str:
    """`path` as people write it: agents.list[0].model, models.providers["my.lab"].api."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.match(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


_STEP = re.compile(r'\.?([^.\[\]"]+)|\[(\d+)\]|\["([^"]*)"\]')


def path_parse(text: str) -> Path:
    """The steps of a written path. Raises ValueError when it is not one."""
    steps: list[str | int] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            raise ValueError(text)
        key, index, quoted = match.groups()
        steps.append(int(index) if index is not None else key if key is not None else quoted)
        position = match.end()
    return tuple(steps)


def value_at(document: Any, path: Sequence[str | int]) -> Any:
    """The value at `path`; an item of a list is also found by its `id`.

    Raises KeyError with the number of steps that could be taken.
    """
    value = document
    for taken, step in enumerate(path):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and (item := _item(value, step)) is not None:
            value = item
        else:
            raise KeyError(taken)
    return value


def _item(items: list[Any], step: str | int) -> Any:
    if isinstance(step, int) or step.isdigit():
        return items[int(step)] if int(step) < len(items) else None
    return next((i for i in items if isinstance(i, Mapping) and i.get("id") == step), None)


def nearest(word: str, known: Sequence[str]) -> str:
    """The known word that `word` was probably meant to be, or ""."""
    lowered = {name.lower(): name for name in known}
    found = get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return lowered[found[0]] if found else ""
