"""One object in place of a union of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Schema = dict[str, Any]

UNIONS = ("anyOf", "oneOf")
# Definitions hold other definitions; deeper than this nobody writes a schema.
_MAX_HOPS = 16


def union_flatten(schema: Schema) -> Schema:
    """The schema with the anyOf, oneOf and allOf of its top merged into it.

    Of the alternatives a property is required if all of them require it, and takes what any of
    those that name it takes; parts of an allOf add up. Null is no alternative.
    """
    return _flat(schema, schema, 0)


def _flat(schema: Schema, root: Schema, depth: int) -> Schema:
    merged = {key: value for key, value in schema.items() if key not in (*UNIONS, "allOf", "$ref")}
    if depth > _MAX_HOPS:
        return merged
    if (target := pointed(schema.get("$ref"), root)) is not None:
        _add(merged, _flat(target, root, depth + 1))
    for part in _parts(schema, "allOf"):
        _add(merged, _flat(part, root, depth + 1))
    for name in UNIONS:
        options = [_flat(part, root, depth + 1) for part in _parts(schema, name)]
        options = [option for option in options if option.get("type") != "null"]
        if options and all(map(_is_object, options)):
            _add(merged, _alternatives(options))
    return merged


def _parts(schema: Schema, name: str) -> list[Schema]:
    parts = schema.get(name)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def pointed(reference: Any, root: Any) -> Schema | None:
    """The schema in `root` that a local reference names; None for any other reference."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    found: Any = root
    for step in reference[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return found if isinstance(found, dict) else None


def _is_object(part: Schema) -> bool:
    return part.get("type", "object") == "object" or "properties" in part


def _add(target: Schema, part: Schema) -> None:
    """Adds the demands of `part`; where both describe a property the first one stays."""
    for key, value in part.items():
        if key == "properties" and isinstance(value, dict):
            target["properties"] = {**value, **_described(target)}
        elif key == "required":
            target["required"] = list(dict.fromkeys([*_required(target), *_required(part)]))
        elif key != "additionalProperties":
            target.setdefault(key, value)
    # A closed part would forbid the properties of the others.
    if "additionalProperties" in part:
        target.pop("additionalProperties", None)


def _alternatives(options: Sequence[Schema]) -> Schema:
    """What any of the options takes."""
    if len(options) == 1:
        return options[0]
    properties: dict[str, list[Any]] = {}
    for option in options:
        for name, value in _described(option).items():
            seen = properties.setdefault(name, [])
            if value not in seen:
                seen.append(value)
    required = [
        name
        for name in _required(options[0])
        if all(name in _required(option) for option in options)
    ]
    merged: Schema = {"properties": {name: _either(seen) for name, seen in properties.items()}}
    return {**merged, "required": required} if required else merged


def _described(schema: Schema) -> Schema:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _required(schema: Schema) -> list[str]:
    found = schema.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _either(options: list[Any]) -> Any:
    """One schema for a property that the alternatives describe differently."""
    if len(options) == 1:
        return options[0]
    values = [_values(option) for option in options]
    kinds = {str(option.get("type")) if isinstance(option, dict) else "" for option in options}
    if all(found is not None for found in values) and len(kinds) == 1:
        merged: list[Any] = []
        for found in values:
            merged += [value for value in found or () if value not in merged]
        first = {key: value for key, value in options[0].items() if key not in ("const", "enum")}
        return {**first, "enum": merged}
    return {"anyOf": options}


def _values(option: Any) -> list[Any] | None:
    if not isinstance(option, dict):
        return None
    if "const" in option:
        return [option["const"]]
    found = option.get("enum")
    return found if isinstance(found, list) else None
