"""Tool schemas made fit for each service, judged by checkers that know only the vendors' rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agents.core.model import ModelInfo, ToolSchema
from agents.providers.common.schemas import (
    SchemaDialect,
    dialect_of,
    schema_normalised,
    strict_ready,
    tools_normalised,
)
from tests.agents.core.strategies import steady
from tests.agents.providers.schema_cases import CASES, JSON_SCHEMAS, NESTED, Case

DIALECTS: tuple[SchemaDialect, ...] = ("whole", "gemini", "xai")
# What google-genai's types say that the service reads, less what the reference found refused.
GEMINI_KEYS = {"type", "title", "description", "default", "enum", "items", "anyOf", "properties"}
GEMINI_KEYS |= {"required"}
GEMINI_TYPES = {"object", "array", "string", "number", "integer", "boolean"}
XAI_REFUSES = ("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains")


def gemini_refuses(schema: Any) -> str:
    """Why the Gemini API would refuse this schema, "" when it would not."""
    if not isinstance(schema, Mapping):
        return f"not a schema: {schema!r}"
    if strange := schema.keys() - GEMINI_KEYS:
        return f"keywords {strange}"
    if "type" in schema and schema["type"] not in GEMINI_TYPES:
        return f"type {schema['type']!r}"
    if "anyOf" in schema and schema.keys() & {"type", "properties", "items", "enum"}:
        return "something beside anyOf"
    values = schema.get("enum", ())
    if "enum" in schema and not (values and all(_is_value(value) for value in values)):
        return f"enum {values!r}"
    if set(schema.get("required", ())) - set(schema.get("properties", {})):
        return "something required that is not described"
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    inner += [schema["items"]] if "items" in schema else []
    return next(filter(None, map(gemini_refuses, inner)), "")


def _is_value(value: Any) -> bool:
    return bool(value) if isinstance(value, str) else type(value) in (int, float)


def xai_refuses(schema: Any) -> bool:
    """Whether a keyword that xAI refuses is anywhere but among names."""
    if isinstance(schema, list):
        return any(map(xai_refuses, schema))
    if not isinstance(schema, Mapping):
        return False
    names = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
    for key, value in schema.items():
        if key in names and isinstance(value, Mapping):
            if any(map(xai_refuses, value.values())):
                return True
        elif key in XAI_REFUSES or (
            key not in ("enum", "const", "default", "examples") and xai_refuses(value)
        ):
            return True
    return False


def accepted(schema: Mapping[str, Any], dialect: SchemaDialect) -> None:
    """Fails unless a service of this dialect takes the schema."""
    assert schema["type"] == "object"
    assert isinstance(schema["properties"], Mapping)
    assert not schema.keys() & {"anyOf", "oneOf", "allOf", "$ref"}
    if dialect == "gemini":
        assert not gemini_refuses(schema)
    if dialect == "xai":
        assert not xai_refuses(schema)


def test_it_works() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"Path": {"type": "string", "minLength": 1, "description": "A path."}},
        "properties": {
            "path": {"$ref": "#/$defs/Path"},
            "pattern": {"type": ["string", "null"], "format": "regex"},
            "mode": {"const": "fast"},
            "limit": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
        },
        "required": ["path", "gone"],
        "additionalProperties": False,
    }
    assert schema_normalised(schema, "gemini") == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A path."},
            "pattern": {"type": "string"},
            "mode": {"enum": ["fast"], "type": "string"},
            "limit": {"type": "integer"},
        },
        "required": ["path"],
    }
    assert schema_normalised(schema, "whole") == schema
    assert xai_refuses(schema)
    assert "minLength" not in str(schema_normalised(schema, "xai"))


def test_alternatives_at_the_top_become_one_object() -> None:
    def option(action: str, *required: str, **properties: Any) -> dict[str, Any]:
        properties["action"] = {"const": action, "type": "string"}
        return {"type": "object", "properties": properties, "required": ["action", *required]}

    text, number = {"type": "string"}, {"type": "integer"}
    schema = {
        "oneOf": [
            option("add", "name", name=text, at=text),
            option("remove", "id", id=text, at=number),
            {"type": "null"},
        ]
    }
    expected = {
        "type": "object",
        "properties": {
            "name": text,
            "at": {"anyOf": [text, number]},
            "id": text,
            "action": {"type": "string", "enum": ["add", "remove"]},
        },
        "required": ["action"],
    }
    for dialect in DIALECTS:
        assert schema_normalised(schema, dialect) == expected


def test_cycles_are_cut() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    schema = {"type": "object", "$defs": {"Node": node}, "properties": {"head": node}}
    found = schema_normalised(schema, "gemini")
    assert found["properties"]["head"]["properties"]["next"]["properties"]["next"] == {
        "type": "object"
    }
    accepted(
        schema_normalised({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, "xai"),
        "xai",
    )


def test_a_schema_that_says_nothing_is_an_object() -> None:
    for broken in ({}, {"type": "string"}, {"properties": None}, {"anyOf": "x"}, {"allOf": [1]}):
        for dialect in DIALECTS:
            accepted(schema_normalised(broken, dialect), dialect)


@pytest.mark.parametrize(
    ("model", "dialect"),
    [
        (ModelInfo("google", "gemini-3-pro", "google-generative-ai"), "gemini"),
        (ModelInfo("openrouter", "google/gemini-3-pro", "openai-completions"), "gemini"),
        (ModelInfo("x", "grok-5", "openai-completions", base_url="https://api.x.ai/v1"), "xai"),
        (ModelInfo("openrouter", "x-ai/grok-5", "openai-completions"), "xai"),
        (ModelInfo("anthropic", "claude-opus-5", "anthropic-messages"), "whole"),
        (ModelInfo("m", "m", "openai-completions", base_url="https://matrix.ai/v1"), "whole"),
    ],
)
def test_dialect_by_model(model: ModelInfo, dialect: str) -> None:
    assert dialect_of(model) == dialect
    tool = ToolSchema("t", "T.", {"type": "object", "properties": {"a": {"minLength": 2}}})
    (sent,) = tools_normalised([tool], model)
    assert ("minLength" in str(sent.parameters)) is (dialect == "whole")


def test_strict_only_when_every_tool_qualifies() -> None:
    closed = {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"]}, "b": {"enum": ["x"]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    good = ToolSchema("good", "", closed)
    open_ended = ToolSchema("open", "", {**closed, "additionalProperties": True})
    optional = ToolSchema("optional", "", {**closed, "required": ["a"]})
    inner = {"type": "array", "items": {"type": "object", "properties": {}}}
    nested = ToolSchema("nested", "", {**closed, "properties": {"a": inner, "b": {"enum": [1]}}})
    assert strict_ready([good])
    for bad in (open_ended, optional, nested):
        assert not strict_ready([good, bad])
    assert not strict_ready([])


@steady
@given(JSON_SCHEMAS)
def test_any_schema_becomes_one_that_the_service_takes(schema: dict[str, Any]) -> None:
    before = repr(schema)
    for dialect in DIALECTS:
        found = schema_normalised(schema, dialect)
        accepted(found, dialect)
        assert found == schema_normalised(schema, dialect)
        accepted(schema_normalised(found, dialect), dialect)
    strict_ready([ToolSchema("t", "T.", schema)])
    assert repr(schema) == before


@steady
@given(CASES)
def test_arguments_that_the_tool_takes_stay_allowed(case: Case) -> None:
    Draft202012Validator(case.schema).validate(case.value)
    for dialect in DIALECTS:
        found = schema_normalised(case.schema, dialect)
        accepted(found, dialect)
        Draft202012Validator(found).validate(case.value)


@steady
@given(NESTED, st.integers(0, 40))
def test_what_is_left_whole_below_the_top(inner: dict[str, Any], depth: int) -> None:
    for _ in range(depth):
        inner = {"type": "object", "properties": {"minLength": inner}}
    schema = {"type": "object", "properties": {"a": inner}}
    assert schema_normalised(schema, "whole") == schema
    accepted(schema_normalised(schema, "gemini"), "gemini")
