"""Whether the parameter schema of a tool from elsewhere can be used. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from jsonschema import Draft202012Validator, SchemaError, validators

# A model reads every schema in every request; this is far beyond any useful one.
MAX_BYTES = 128 * 1024
# Deeper than this validators and services give up.
MAX_DEPTH = 48


class UnusableSchemaError(ValueError):
    """Why a schema cannot be used, in a few words."""


def schema_checked(schema: Any) -> dict[str, Any]:
    """The schema of an object, as a tool may have it. Raises UnusableSchemaError."""
    if not isinstance(schema, Mapping):
        raise UnusableSchemaError("its parameters are no JSON Schema")
    plain = dict(schema)
    if _depth(plain) > MAX_DEPTH:
        raise UnusableSchemaError(f"its schema is nested deeper than {MAX_DEPTH}")
    if len(orjson.dumps(plain)) > MAX_BYTES:
        raise UnusableSchemaError(f"its schema is larger than {MAX_BYTES // 1024} KB")
    if plain.setdefault("type", "object") != "object":
        raise UnusableSchemaError("its parameters are not of type object")
    kind = validators.validator_for(plain, default=Draft202012Validator)
    try:
        kind.check_schema(plain)
    except SchemaError as error:
        raise UnusableSchemaError(f"its schema is invalid: {error.message[:200]}") from None
    for reference in _references(plain):
        _followed(reference, plain)
    return plain


def _depth(root: Any) -> int:
    """How deep values are nested; without recursion, so that depth cannot hurt."""
    deepest, todo = 0, [(root, 1)]
    while todo:
        value, depth = todo.pop()
        deepest = max(deepest, depth)
        if depth > MAX_DEPTH:
            break
        inner = value.values() if isinstance(value, Mapping) else value
        if isinstance(value, Mapping | list):
            todo += [(item, depth + 1) for item in inner]
    return deepest


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


def _followed(reference: str, root: Mapping[str, Any]) -> None:
    """Follows a reference to what is no reference itself."""
    seen: list[str] = []
    while True:
        if reference in seen:
            raise UnusableSchemaError(f"its $ref {reference!r} leads back to itself")
        seen.append(reference)
        target = _pointed(reference, root)
        following = target.get("$ref")
        if not isinstance(following, str):
            return
        reference = following


def _pointed(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    if not reference.startswith("#"):
        raise UnusableSchemaError(f"its $ref {reference[:100]!r} leads outside of the schema")
    found: Any = root
    for step in filter(None, reference[1:].split("/")):
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        raise UnusableSchemaError(f"its $ref {reference[:100]!r} leads nowhere")
    return found
