"""JSON Schema cut down to what the Gemini API takes in a function declaration.

The library's description of `response_json_schema` lists what the service reads; the reference
takes more out of tool schemas (bounds, patterns, formats), because the service refuses some of it
there. What is listed here is kept, everything else is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.providers.common.schemas_union import pointed, union_flatten

Schema = dict[str, Any]

KEPT = frozenset({"type", "title", "description", "default", "enum", "items", "anyOf"})
TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean"})
# Beside anyOf nothing but words may stand.
_WORDS = ("title", "description", "default")
# Cyclic references end where they begin anew, other nesting here.
_MAX_DEPTH = 24


def gemini_schema(schema: Schema) -> Schema:
    """The schema without anything that the service refuses; references are put in place."""
    return _Cleaner(schema).clean(schema, (), 0)


class _Cleaner:
    def __init__(self, root: Schema) -> None:
        self._root = root

    def clean(self, schema: Any, seen: tuple[str, ...], depth: int) -> Schema:
        """`seen` are the references that led here; one of them again would be a cycle."""
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
            return {}
        reference = schema.get("$ref")
        if reference is not None:
            return self._referred(schema, str(reference), seen, depth)
        if "allOf" in schema:
            # Only the parts are merged here; alternatives keep their place.
            return self.clean(self._all_of(dict(schema)), seen, depth + 1)
        options = self._options(schema, seen, depth)
        if options and not _describes_itself(schema):
            return _one_of(schema, options)
        return self._plain(schema, seen, depth)

    def _all_of(self, schema: Schema) -> Schema:
        unions: Schema = {key: schema.pop(key) for key in ("anyOf", "oneOf") if key in schema}
        parts = [self._target(part) for part in schema["allOf"] if isinstance(part, Mapping)]
        return {**union_flatten({**schema, "allOf": parts}), **unions}

    def _target(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        return pointed(part.get("$ref"), self._root) or part

    def _referred(
        self, schema: Mapping[str, Any], reference: str, seen: tuple[str, ...], depth: int
    ) -> Schema:
        target = pointed(reference, self._root)
        if target is None:
            return _words(schema)
        if reference in seen:
            kind = target.get("type")
            return {"type": kind, **_words(schema)} if kind in ("object", "string") else {}
        return self.clean(target, (*seen, reference), depth + 1) | _words(schema)

    def _options(
        self, schema: Mapping[str, Any], seen: tuple[str, ...], depth: int
    ) -> list[Schema]:
        """The alternatives of a schema, of its list of types too; null is none."""
        found: list[Any] = []
        for name in ("anyOf", "oneOf"):
            value = schema.get(name)
            found += value if isinstance(value, list) else []
        kinds = schema.get("type")
        if isinstance(kinds, list) and not found:
            rest = {key: value for key, value in schema.items() if key not in ("type", *_WORDS)}
            found = [{**rest, "type": kind} for kind in kinds]
        found = [item for item in found if not _is_null(item)]
        cleaned: list[Schema] = []
        for item in found:
            option = self.clean(item, seen, depth + 1)
            if option not in cleaned:
                cleaned.append(option)
        # An alternative that takes anything makes the others meaningless.
        return [] if {} in cleaned else cleaned

    def _plain(self, schema: Mapping[str, Any], seen: tuple[str, ...], depth: int) -> Schema:
        cleaned = {key: schema[key] for key in ("type", *_WORDS) if key in schema}
        kind = cleaned.get("type")
        if not isinstance(kind, str) or kind not in TYPES:
            cleaned.pop("type", None)
        if "title" in cleaned and not isinstance(cleaned["title"], str):
            del cleaned["title"]
        if "description" in cleaned and not isinstance(cleaned["description"], str):
            del cleaned["description"]
        cleaned |= _enumeration(schema)
        if isinstance(schema.get("items"), Mapping):
            cleaned["items"] = self.clean(schema["items"], seen, depth + 1)
            cleaned.setdefault("type", "array")
        if isinstance(schema.get("properties"), Mapping):
            cleaned |= self._object(schema, seen, depth)
        return cleaned

    def _object(self, schema: Mapping[str, Any], seen: tuple[str, ...], depth: int) -> Schema:
        properties = {
            str(name): self.clean(value, seen, depth + 1)
            for name, value in schema["properties"].items()
            if value is not False
        }
        required = schema.get("required")
        listed: list[Any] = required if isinstance(required, list) else []
        named = [name for name in listed if isinstance(name, str) and name in properties]
        cleaned: Schema = {"type": "object", "properties": properties}
        return {**cleaned, "required": named} if named else cleaned


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_null(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return schema is False
    return schema.get("type") == "null" or ("const" in schema and schema["const"] is None)


def _describes_itself(schema: Mapping[str, Any]) -> bool:
    """Whether the alternatives only add conditions to something that is described beside them."""
    return bool(schema.keys() & {"properties", "items", "enum", "const"}) and not _is_list(
        schema.get("type")
    )


def _one_of(schema: Mapping[str, Any], options: list[Schema]) -> Schema:
    if len(options) == 1:
        return options[0] | _words(schema)
    return {"anyOf": options, **_words(schema)}


def _words(schema: Mapping[str, Any]) -> Schema:
    words = {key: schema[key] for key in _WORDS if key in schema}
    return {k: v for k, v in words.items() if k == "default" or isinstance(v, str)}


def _enumeration(schema: Mapping[str, Any]) -> Schema:
    """The values that are allowed, if all are strings or numbers of the schema's one type."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not _is_list(values) or not values:
        return {}
    values = [value for value in values if value is not None]
    kinds = {_kind(value) for value in values}
    if len(kinds) != 1 or "" in kinds:
        return {}
    kind = kinds.pop()
    stated = schema.get("type", kind)
    fits = stated == kind or (stated == "number" and kind == "integer")
    return {"enum": values, "type": stated} if fits else {}


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "string" if value else ""
    if isinstance(value, bool):
        return ""
    return "integer" if isinstance(value, int) else "number" if isinstance(value, float) else ""
