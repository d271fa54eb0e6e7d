"""Checks the arguments of a tool call against the tool's JSON Schema, mending small slips.

Models write "5" for 5, 3.0 for 3, null for "not given" and a list as a string of JSON. Such
values are converted on a copy; whatever still does not fit is told to the model in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any, cast

import orjson
from jsonschema import Draft202012Validator, ValidationError, validators
from jsonschema.protocols import Validator
from referencing import Registry

from agents.core.clean_text import clean_json
from agents.core.coercion import MISSING, coerce

MAX_ERRORS = 10  # more would only bury the first ones
MAX_MESSAGE_CHARS = 300  # a message quotes the value, which may be a whole file
MAX_RECEIVED_CHARS = 2_000
# One pass mends every value that can be seen; a second sees what was inside a mended text.
COERCION_PASSES = 3


class InvalidArgumentsError(ValueError):
    """The arguments do not fit the schema. The text is written for the model."""


def check_arguments(
    name: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The arguments as the tool may take them: the same object when they fit as they are.

    Raises InvalidArgumentsError with each path, what is wrong there, and what was received.
    """
    try:
        return _checked(_validator(orjson.dumps(schema, default=dict)), name, arguments)
    except InvalidArgumentsError:
        raise
    except Exception as error:  # a schema from elsewhere may be broken in any way
        problem = str(error).partition("\n")[0][:MAX_MESSAGE_CHARS]
        raise InvalidArgumentsError(
            f"Tool {name!r} cannot be used: its parameter schema is broken ({problem})."
        ) from error


def _checked(validator: Validator, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    errors = list(validator.iter_errors(arguments))
    if not errors:
        return arguments
    mended = deepcopy(dict(arguments))
    for _ in range(COERCION_PASSES):
        # All of them, not only the first: a list, so that `any` does not stop early.
        if not any([_mend(mended, error) for error in errors]):  # noqa: C419
            break
        errors = list(validator.iter_errors(mended))
        if not errors:
            return mended
    raise InvalidArgumentsError(_explain(name, arguments, errors))


@lru_cache(maxsize=512)
def _validator(schema: bytes) -> Validator:
    document = orjson.loads(schema)
    kind = _strict(validators.validator_for(document, default=Draft202012Validator))
    kind.check_schema(document)
    # An empty registry: a schema from elsewhere must not make us fetch an address.
    return kind(document, registry=Registry())


@lru_cache(maxsize=16)
def _strict(kind: type[Validator]) -> type[Validator]:
    # JSON Schema takes 3.0 for an integer; a tool that slices with it would fail.
    checker = kind.TYPE_CHECKER.redefine("integer", _is_integer)
    return cast(type[Validator], validators.extend(kind, type_checker=checker))  # type: ignore[no-untyped-call]


def _is_integer(_checker: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _mend(arguments: dict[str, Any], error: ValidationError) -> bool:
    """Converts the value at the error's place; whether it could."""
    if not error.absolute_path:
        return False
    *above, last = error.absolute_path
    try:
        parent = _inside(arguments, above)
        old = parent[last]
    except (LookupError, TypeError):  # an earlier error of this pass already changed the place
        return False
    value = coerce(old, list(_expected_types(error)))
    if value is MISSING and isinstance(parent, dict):
        del parent[last]
    elif value is not MISSING and value is not old:
        parent[last] = value
    else:
        return False
    return True


def _inside(value: Any, path: Iterable[str | int]) -> Any:
    for step in path:
        value = value[step]
    return value


def _expected_types(error: ValidationError) -> Iterator[str]:
    """The types that would have been right, in the schema's order."""
    if error.validator == "type":
        types: Any = error.validator_value
        yield from [types] if isinstance(types, str) else types
    for inner in error.context or ():
        if not inner.relative_path:  # a branch of anyOf or oneOf about this very value
            yield from _expected_types(inner)


def _explain(name: str, received: Mapping[str, Any], errors: list[ValidationError]) -> str:
    lines = [f"Invalid arguments for tool {name!r}:"]
    lines += [f"- {_path(error)}: {_short(error.message)}" for error in errors[:MAX_ERRORS]]
    if len(errors) > MAX_ERRORS:
        lines.append(f"- and {len(errors) - MAX_ERRORS} more")
    lines.append(f"Received: {_received(received)}")
    return "\n".join(lines)


def _path(error: ValidationError) -> str:
    return ".".join(str(step) for step in error.absolute_path) or "(arguments)"


def _short(text: str) -> str:
    if len(text) <= MAX_MESSAGE_CHARS:
        return text
    # The end says what is wrong, the beginning which value it is.
    return f"{text[:100]} … {text[-(MAX_MESSAGE_CHARS - 100) :]}"


def _received(arguments: Mapping[str, Any]) -> str:
    text = orjson.dumps(clean_json(arguments)).decode()
    if len(text) <= MAX_RECEIVED_CHARS:
        return text
    return f"{text[:MAX_RECEIVED_CHARS]} … ({len(text)} characters in all)"
