"""Validation errors in the words that clients of the protocol know.

`at /client/id: must be equal to one of the allowed values`, `at root: unexpected property 'x'`:
the place in the JSON, then the rule that it breaks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

# More would not help a person and could be made large by a hostile client.
_MOST_ERRORS = 3
_LONGEST_NAME = 80

_RULES: Mapping[str, str] = {
    "literal_error": "must be equal to one of the allowed values",
    "enum": "must be equal to one of the allowed values",
    "string_type": "must be string",
    "int_type": "must be integer",
    "int_from_float": "must be integer",
    "float_type": "must be number",
    "bool_type": "must be boolean",
    "list_type": "must be array",
    "tuple_type": "must be array",
    "dict_type": "must be object",
    "model_type": "must be object",
    "model_attributes_type": "must be object",
    "string_too_short": "must NOT have fewer than {min_length} characters",
    "string_too_long": "must NOT have more than {max_length} characters",
    "too_short": "must NOT have fewer than {min_length} items",
    "too_long": "must NOT have more than {max_length} items",
    "greater_than_equal": "must be >= {ge}",
    "greater_than": "must be > {gt}",
    "less_than_equal": "must be <= {le}",
    "less_than": "must be < {lt}",
    "string_pattern_mismatch": 'must match pattern "{pattern}"',
}


class Params(BaseModel):
    """The base of everything a client sends: no conversions, no unknown properties.

    Fields are written as Python names and travel in camelCase.
    """

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel)


M = TypeVar("M", bound=BaseModel)


def error_text(error: ValidationError) -> str:
    """The first faults of a validation, `; ` between them. Never repeats the client's values."""
    found = error.errors(include_url=False, include_input=False)
    text = "; ".join(_describe(item) for item in found[:_MOST_ERRORS])
    return f"{text}; and more" if len(found) > _MOST_ERRORS else text


def _describe(item: ErrorDetails) -> str:
    place = [str(part)[:_LONGEST_NAME] for part in item["loc"]]
    kind = item["type"]
    if kind == "extra_forbidden":
        return f"at {_pointer(place[:-1])}: unexpected property '{place[-1]}'"
    if kind == "missing":
        return f"at {_pointer(place[:-1])}: must have required property '{place[-1]}'"
    context: dict[str, Any] = item.get("ctx") or {}
    rule = _RULES.get(kind)
    if rule is None:
        return f"at {_pointer(place)}: {item['msg']}"
    return f"at {_pointer(place)}: {rule.format_map(context)}"


def _pointer(place: list[str]) -> str:
    return "/" + "/".join(place) if place else "root"
