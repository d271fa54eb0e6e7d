"""Documents against each other: a part merged into a whole, what differs, and a name for a state.

Pure.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

import orjson

from agents.config.paths import Path

# Stands where a document has nothing; null is a value.
_ABSENT = object()


def document_hash(document: Any, *, key: bytes) -> str:
    """Names the state of a document, whatever the order of its keys.

    With `key`, because a plain hash would let others try what its secrets are.
    """
    content = orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def document_merge(document: Any, patch: Any) -> Any:
    """`document` with `patch` merged in, as JSON merge patch says (RFC 7396): null removes a key.

    Beyond that, lists whose items all have an `id` are merged item by item; others are replaced.
    Neither argument is changed.
    """
    if isinstance(document, list) and isinstance(patch, list) and patch:
        if _have_ids(document) and _have_ids(patch):
            return _lists_merge(document, patch)
        return patch
    if not isinstance(patch, dict):
        return patch
    merged = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = document_merge(merged.get(key), value)
    return merged


def _lists_merge(items: list[Any], patch: list[Any]) -> list[Any]:
    changes = {item["id"]: item for item in patch}
    known = {item["id"] for item in items}
    merged = [document_merge(item, changes.get(item["id"], {})) for item in items]
    return [*merged, *(document_merge({}, item) for item in patch if item["id"] not in known)]


def _have_ids(items: list[Any]) -> bool:
    return all(isinstance(item, dict) and isinstance(item.get("id"), str) for item in items)


def document_changes(before: Any, after: Any, path: Path = ()) -> Iterator[Path]:
    """The places whose values differ, as far down as they go: what was added or removed as a whole
    is named by each value in it. Items with an `id` are compared by it, others by position."""
    if before == after:
        return
    left, right = _children(before), _children(after)
    steps = list(dict.fromkeys((*(left or ()), *(right or ()))))
    plain = (left is None and before is not _ABSENT) or (right is None and after is not _ABSENT)
    if plain or not steps:
        yield path
    for step in steps:
        old = (left or {}).get(step, _ABSENT)
        yield from document_changes(old, (right or {}).get(step, _ABSENT), (*path, step))


def _children(value: Any) -> dict[str | int, Any] | None:
    """What stands in an object or a list by its step; None for anything else."""
    if isinstance(value, dict):
        return dict(value)
    if not isinstance(value, list):
        return None
    if value and _have_ids(value):
        return {item["id"]: item for item in value}
    return dict(enumerate(value))
