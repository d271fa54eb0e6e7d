"""Random JSON Schemas, sensible and broken, and values that fit them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.agents.core.strategies import JSON_OBJECTS, TEXTS

NAMES = st.sampled_from(["a", "b", "pattern", "format", "minLength", "$ref", "type", "enum"])
_KEYWORDS: dict[str, SearchStrategy[Any]] = {
    "type": st.sampled_from(
        ["object", "array", "string", "number", "null", ["string", "null"], ["null"], [{}], 7]
    ),
    "enum": st.lists(st.none() | st.booleans() | st.integers(0, 3) | TEXTS, max_size=3),
    "const": st.none() | st.booleans() | st.integers(0, 3) | TEXTS,
    "default": st.none() | TEXTS,
    "description": TEXTS | st.just(3),
    "format": st.just("uri"),
    "pattern": st.just("^a"),
    "minLength": st.integers(0, 3),
    "maxItems": st.integers(0, 3),
    "minimum": st.integers(0, 3),
    "$schema": st.just("x"),
    "$id": st.just("y"),
    "$ref": st.sampled_from(
        [
            "#/$defs/a",
            "#/$defs/b",
            "#/definitions/a",
            "#",
            "#/nowhere",
            "http://x/y",
            "#/properties/a",
        ]
    ),
    "additionalProperties": st.booleans(),
    "required": st.lists(NAMES, max_size=2) | st.sampled_from(["a", [["a"]], [{}], None]),
}
_MAPS = ("properties", "patternProperties", "$defs", "definitions")
_LISTS = ("anyOf", "oneOf", "allOf")
_SINGLE = ("items", "not", "additionalProperties", "contains", "if")


@st.composite
def _grown(draw: DrawFn, inner: SearchStrategy[Any]) -> dict[str, Any]:
    schema = draw(st.fixed_dictionaries({}, optional=_KEYWORDS))
    for key in draw(st.lists(st.sampled_from(_MAPS + _LISTS + _SINGLE), max_size=3)):
        if key in _MAPS:
            schema[key] = draw(st.dictionaries(NAMES, inner, max_size=3))
        elif key in _LISTS:
            schema[key] = draw(st.lists(inner, max_size=3))
        else:
            schema[key] = draw(inner)
    return schema


NESTED: SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({}, optional=_KEYWORDS), _grown, max_leaves=8
)
JSON_SCHEMAS: SearchStrategy[Any] = _grown(NESTED | st.booleans() | JSON_OBJECTS)


@dataclass(frozen=True)
class Case:
    """A schema that makes sense, and a value that fits it."""

    schema: dict[str, Any]
    value: Any


def _texts() -> SearchStrategy[Case]:
    extra = st.sampled_from([{}, {"minLength": 0}, {"maxLength": 99}, {"format": "uri"}])
    return st.builds(lambda text, more: Case({"type": "string", **more}, text), TEXTS, extra)


def _numbers() -> SearchStrategy[Case]:
    schemas = st.sampled_from([{"type": "integer"}, {"type": "number", "minimum": -99}])
    return st.builds(lambda schema, value: Case(schema, value), schemas, st.integers(-9, 9))


def _values() -> SearchStrategy[Case]:
    some = st.sampled_from(["x", "", 3, 2.5, True])

    def one(value: Any, others: list[Any], fixed: bool) -> Case:
        return Case({"const": value} if fixed else {"enum": [*others, value]}, value)

    return st.builds(one, some, st.lists(some | st.none(), max_size=2), st.booleans())


_LEAVES = _texts() | _numbers() | _values()


@st.composite
def _object(draw: DrawFn, inner: SearchStrategy[Case]) -> Case:
    cases = draw(st.dictionaries(NAMES, inner, max_size=3))
    required = draw(st.lists(st.sampled_from(sorted(cases)), unique=True)) if cases else []
    schema: dict[str, Any] = {"type": "object", "required": required}
    schema["properties"] = {name: case.schema for name, case in cases.items()}
    if draw(st.booleans()):
        schema["additionalProperties"] = False
    kept = {name for name in cases if name in required or draw(st.booleans())}
    return Case(schema, {name: cases[name].value for name in cases if name in kept})


@st.composite
def _array(draw: DrawFn, inner: SearchStrategy[Case]) -> Case:
    case = draw(inner)
    return Case({"type": "array", "items": case.schema}, [case.value] * draw(st.integers(0, 2)))


@st.composite
def _wrapped(draw: DrawFn, inner: SearchStrategy[Case]) -> Case:
    case, other = draw(inner), draw(inner)
    options = draw(st.permutations([case.schema, other.schema, {"type": "null"}]))
    return Case({draw(st.sampled_from(["anyOf"])): list(options), "title": "T"}, case.value)


@st.composite
def _optional(draw: DrawFn, inner: SearchStrategy[Case]) -> Case:
    case = draw(inner)
    kind = case.schema.get("type")
    if not isinstance(kind, str):
        return case
    return Case({**case.schema, "type": [kind, "null"]}, case.value)


_INNER: SearchStrategy[Case] = st.recursive(
    _LEAVES,
    lambda inner: _object(inner) | _array(inner) | _wrapped(inner) | _optional(inner),
    max_leaves=6,
)


@st.composite
def _top(draw: DrawFn) -> Case:
    """An object, plain, behind a reference, or as one of several alternatives."""
    case = draw(_object(_INNER))
    form = draw(st.sampled_from(["plain", "ref", "allOf", "anyOf"]))
    if form == "ref":
        return Case({"$ref": "#/$defs/Arguments", "$defs": {"Arguments": case.schema}}, case.value)
    if form == "allOf":
        return Case({"allOf": [case.schema, {"description": "D"}]}, case.value)
    if form == "anyOf":
        other = {
            "type": "object",
            "properties": {"other": {"type": "string"}},
            "required": ["other"],
        }
        return Case({"anyOf": [case.schema, other, {"type": "null"}]}, case.value)
    return case


CASES: SearchStrategy[Case] = _top()
