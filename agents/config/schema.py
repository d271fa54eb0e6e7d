"""The base of every section's model, and what its errors are called in front of people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, get_args, get_origin

from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from agents.config.paths import Path, nearest


class Strict(BaseModel):
    """An object of the document: keys in camelCase, nothing unknown, nothing converted."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
        protected_namespaces=(),
    )


class _WithoutEffect:
    """Marks a key of the reference that nothing reads yet."""


WITHOUT_EFFECT: Final = _WithoutEffect()
# A known key that is accepted, kept word for word and named in a warning.
Kept = Annotated[Any, WITHOUT_EFFECT]


def validated(check: Callable[[str], None], text: str) -> str:
    """`text` when a Django validator accepts it. Raises ValueError with its sentence otherwise."""
    try:
        check(text)
    except DjangoValidationError as error:
        raise ValueError(error.messages[0]) from error
    return text


def kept_paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The places below `value`, a validated model, that were given and have no effect."""
    if isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            if name not in value.model_fields_set:
                continue
            step = field.alias or name
            if WITHOUT_EFFECT in field.metadata:
                yield (*path, step)
            else:
                yield from kept_paths(getattr(value, name), (*path, step))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from kept_paths(item, (*path, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from kept_paths(item, (*path, index))


def schema_errors(model: type[BaseModel], error: ValidationError) -> Iterator[tuple[Path, str]]:
    """Each problem of `error` as its path and a sentence. Values are never repeated."""
    for detail in error.errors(include_url=False, include_input=False):
        path = tuple(step for step in detail["loc"] if step != "[key]")
        yield path, _message(model, path, detail)


def _message(model: type[BaseModel], path: Path, detail: ErrorDetails) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return unknown_key(str(path[-1]), _keys_at(model, path[:-1]))
    if kind == "missing":
        return _("is required")
    if kind == "literal_error":
        return _("must be one of %(values)s") % {"values": context["expected"]}
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return _("must be an object")
    if kind == "value_error":
        return str(context["error"])
    return detail["msg"].replace("Input should", "must").replace("String should", "must")


def unknown_key(key: str, known: Sequence[str]) -> str:
    """The sentence for a key that is not among `known`, with the most similar one."""
    if not known:
        return _("unknown key")
    if match := nearest(key, known):
        return _("unknown key; did you mean %(key)s?") % {"key": match}
    return _("unknown key; known are %(keys)s") % {"keys": ", ".join(sorted(set(known)))}


def _keys_at(model: Any, path: Path) -> list[str]:
    for step in path:
        model = _inner(model, step)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return [field.alias or name for name, field in model.model_fields.items()]
    return []


def _inner(annotation: Any, step: str | int) -> Any:
    """The type of what stands at `step` inside a value of type `annotation`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields.values()
        found = next((field.annotation for field in fields if field.alias == step), None)
    else:
        arguments = get_args(annotation)
        found = arguments[-1] if get_origin(annotation) is dict else next(iter(arguments), None)
    while get_origin(found) is Annotated or type(None) in get_args(found):
        found = next(part for part in get_args(found) if part is not type(None))
    return found
