"""Tool schemas in the form that each service accepts.

A service that meets a keyword it does not know refuses the whole request, so one tool of a plugin
could block an agent. What is taken out here only loosens a schema: the arguments of a call are
still checked against the tool's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import urlsplit

from agents.core.model import ModelInfo, ToolSchema
from agents.providers.common.body import json_decode, json_encode
from agents.providers.common.schemas_gemini import gemini_schema
from agents.providers.common.schemas_union import union_flatten

SchemaDialect = Literal["whole", "gemini", "xai"]
Schema = dict[str, Any]

# What xAI refuses (the reference's list).
XAI_DROPPED = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"}
)
# Keywords whose value maps free names to schemas; such a name is never a keyword.
NAME_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
# Keywords whose value is data, not a schema.
_DATA = ("enum", "const", "default", "examples", "required")
# OpenAI's documented subset for strict functions.
_STRICT_REFUSED = frozenset(
    {
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "patternProperties",
        "unevaluatedProperties",
        "propertyNames",
        "contains",
        "uniqueItems",
        "default",
    }
)
# Schemas kept; an agent has some dozens of tools.
_CACHE = 2_048
_MAX_DEPTH = 64


def dialect_of(model: ModelInfo) -> SchemaDialect:
    """Which rules the service behind `model` has; also when it is reached through a proxy."""
    host = urlsplit(model.base_url).hostname or ""
    vendor, _, _ = model.id.lower().partition("/")
    if model.api == "google-generative-ai" or vendor == "google" or _is_at(host, "googleapis.com"):
        return "gemini"
    if vendor in ("x-ai", "xai") or model.provider == "xai" or _is_at(host, "x.ai"):
        return "xai"
    return "whole"


def _is_at(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def tools_normalised(tools: Sequence[ToolSchema], model: ModelInfo) -> tuple[ToolSchema, ...]:
    """The tools as the service behind `model` accepts them. Pure; their schemas are shared
    between calls and must never be changed."""
    dialect = dialect_of(model)
    return tuple(
        replace(tool, parameters=schema_normalised(tool.parameters, dialect)) for tool in tools
    )


def schema_normalised(schema: Mapping[str, Any], dialect: SchemaDialect) -> Mapping[str, Any]:
    """A schema of an object as the dialect takes it; the same bytes give the same result.

    In every dialect the top is an object without anyOf, oneOf or allOf, for no service takes
    those there. Below it "whole" keeps everything.
    """
    return _normalised(json_encode(schema), dialect)


@lru_cache(maxsize=_CACHE)
def _normalised(raw: bytes, dialect: SchemaDialect) -> Schema:
    schema = json_decode(raw)
    schema = union_flatten(schema if isinstance(schema, dict) else {})
    if dialect == "gemini":
        schema = gemini_schema(schema)
    elif dialect == "xai":
        schema = _without(schema, XAI_DROPPED, 0)
    return _as_object(schema)


def _as_object(schema: Schema) -> Schema:
    """Every service wants the arguments to be an object, even where a schema says nothing."""
    if not isinstance(schema.get("properties"), dict):
        schema = {**schema, "properties": {}}
    return {**schema, "type": "object"}


def _without(schema: Any, dropped: frozenset[str], depth: int) -> Any:
    """The schema without keywords; properties of the same name stay."""
    if isinstance(schema, list):
        return [_without(item, dropped, depth + 1) for item in schema]
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return schema
    kept: Schema = {}
    for key, value in schema.items():
        if key in NAME_MAPS and isinstance(value, dict):
            kept[key] = {name: _without(item, dropped, depth + 1) for name, item in value.items()}
        elif key not in dropped:
            kept[key] = value if key in _DATA else _without(value, dropped, depth + 1)
    return kept


def strict_ready(tools: Sequence[ToolSchema]) -> bool:
    """Whether every one of the tools (one at least) fits OpenAI's strict mode as it stands."""
    return bool(tools) and all(_is_strict(json_encode(tool.parameters)) for tool in tools)


@lru_cache(maxsize=_CACHE)
def _is_strict(raw: bytes) -> bool:
    return _fits_strict(json_decode(raw), 0)


def _fits_strict(schema: Any, depth: int) -> bool:
    if not isinstance(schema, dict) or depth > _MAX_DEPTH or _STRICT_REFUSED & schema.keys():
        return False
    if depth == 0 and (schema.get("type") != "object" or "anyOf" in schema):
        return False
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return False
    kind = schema.get("type")
    if kind == "object" or (isinstance(kind, list) and "object" in kind) or properties:
        closed = schema.get("additionalProperties") is False
        if not closed or sorted(map(str, required)) != sorted(properties):
            return False
    elif kind is None and not schema.keys() & {"anyOf", "$ref", "enum", "const"}:
        return False
    options, definitions = schema.get("anyOf", []), schema.get("$defs", {})
    if not isinstance(options, list) or not isinstance(definitions, dict):
        return False
    inner = [*properties.values(), *options, *definitions.values()]
    if "items" in schema:
        inner.append(schema["items"])
    elif kind == "array":
        return False
    return all(_fits_strict(item, depth + 1) for item in inner)
