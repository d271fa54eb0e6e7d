"""Reads the edits of a call in every spelling that models use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from agents.core.errors import ToolError
from tools.arguments import FILE_ALIASES, rename_aliases
from tools.editing.apply import Edit

_TEXT_ALIASES: Mapping[str, str] = {
    "old_text": "oldText",
    "oldString": "oldText",
    "old_string": "oldText",
    "old": "oldText",
    "new_text": "newText",
    "newString": "newText",
    "new_string": "newText",
    "new": "newText",
}
_ALIASES: Mapping[str, str] = {**FILE_ALIASES, **_TEXT_ALIASES}


def prepare_edits(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the schema has them: `path` and a list `edits`.

    Understands aliases, `edits` as JSON text or as one object, and oldText and newText beside
    `path`. What it cannot read stays as it is, for the schema check to name.
    """
    prepared = rename_aliases(arguments, _ALIASES)
    edits = _list_of(prepared.get("edits"))
    if not isinstance(edits, list):
        return prepared
    edits = [rename_aliases(e, _TEXT_ALIASES) if isinstance(e, Mapping) else e for e in edits]
    lone = {key: prepared.pop(key) for key in ("oldText", "newText") if key in prepared}
    return {**prepared, "edits": [*edits, lone] if lone else edits}


def edits_of(prepared: Mapping[str, Any]) -> list[Edit]:
    """The edits of prepared arguments. Raises ToolError, naming what is wrong."""
    edits = prepared.get("edits")
    if not isinstance(edits, list) or not edits:
        raise ToolError("edits: expected a list of one or more {oldText, newText}.")
    return [_edit(item, number) for number, item in enumerate(edits)]


def _list_of(edits: object) -> object:
    if isinstance(edits, str):
        try:
            edits = orjson.loads(edits)
        except orjson.JSONDecodeError:
            return edits
    if edits is None:
        return []
    return [edits] if isinstance(edits, Mapping) else edits


def _edit(item: object, number: int) -> Edit:
    if not isinstance(item, Mapping):
        raise ToolError(f"edits[{number}]: expected an object with oldText and newText.")
    for name in ("oldText", "newText"):
        if not isinstance(item.get(name), str):
            raise ToolError(f"edits[{number}].{name}: expected text.")
    return Edit(item["oldText"], item["newText"])
