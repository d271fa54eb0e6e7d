"""What the schema of the configuration says about one place in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from agents.config.paths import nearest, path_parse, path_text
from agents.config.registry import KNOWN_KEYS, SECTIONS
from agents.core.errors import NotFound, UserError

_FACTS = ("type", "enum", "const", "default", "description", "pattern", "format")
_LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_Schema = Mapping[str, Any]
# The reference's limit for a path.
_LONGEST_PATH = 1_024


def config_schema_lookup(*, path: str) -> dict[str, Any]:
    """{path, schema, children: [{key, path, type, required, hasChildren}]} of one place.

    "" is the whole document. A step of a list is an index, `[]` or an id; `*` stands for any name
    of a free map. Raises NotFound with the nearest key, and UserError for what is no path.
    """
    if len(path) > _LONGEST_PATH:
        raise UserError(_("path is longer than %(limit)s characters.") % {"limit": _LONGEST_PATH})
    try:
        steps = [str(step) for step in path_parse(path.replace("[]", "[0]"))]
    except ValueError as error:
        text = _("%(path)s is not a path such as agents.list[0].model")
        raise NotFound(text % {"path": path}) from error
    places = [_Place(_document(), {})]
    for taken, step in enumerate(steps):
        found = [place for each in places for place in each.at(step)]
        if not found:
            raise NotFound(_unknown(places, steps[: taken + 1]))
        places = found
    return _answer(path, places)


class _Place:
    """One schema with the definitions that it may refer to."""

    def __init__(self, schema: _Schema, definitions: Mapping[str, Any]) -> None:
        self.schema = schema
        self.definitions = schema.get("$defs") or definitions

    def forms(self) -> Iterator[_Place]:
        """The schema without references and alternatives."""
        reference = self.schema.get("$ref")
        if isinstance(reference, str):
            yield from _Place(
                self.definitions[reference.rpartition("/")[2]], self.definitions
            ).forms()
            return
        choices = [*self.schema.get("anyOf", ()), *self.schema.get("oneOf", ())]
        choices += self.schema.get("allOf", ())
        for choice in choices:
            yield from _Place(choice, self.definitions).forms()
        if not choices:
            yield self

    def at(self, step: str) -> Iterator[_Place]:
        """Where a step leads to; several places where there are alternatives."""
        for form in self.forms():
            schema, known = form.schema, form.definitions
            if step in schema.get("properties", {}):
                yield _Place(schema["properties"][step], known)
            elif isinstance(schema.get("additionalProperties"), dict):
                yield _Place(schema["additionalProperties"], known)
            elif schema.get("type") == "array" and isinstance(schema.get("items"), dict):
                yield _Place(schema["items"], known)

    def children(self) -> Iterator[tuple[str, _Place, bool]]:
        """Key, place and whether it must be there."""
        for form in self.forms():
            required = form.schema.get("required", ())
            for key, schema in form.schema.get("properties", {}).items():
                yield key, _Place(schema, form.definitions), key in required
            for name, key in (("additionalProperties", "*"), ("items", "[]")):
                if isinstance(form.schema.get(name), dict):
                    yield key, _Place(form.schema[name], form.definitions), False

    def facts(self) -> dict[str, Any]:
        """Type, limits and default, of all alternatives together."""
        facts: dict[str, Any] = {n: self.schema[n] for n in _FACTS if n in self.schema}
        types: list[str] = []
        for form in self.forms():
            for name in (*_FACTS, *_LIMITS):
                if name == "type":
                    types += [form.schema["type"]] if "type" in form.schema else []
                elif name in form.schema:
                    facts.setdefault(name, form.schema[name])
        if types:
            facts["type"] = types[0] if len(set(types)) == 1 else sorted(set(types))
        return facts


def _document() -> _Schema:
    sections = {name: _section_schema(name) for name in SECTIONS.names()}
    return {"properties": {**{name: {} for name in KNOWN_KEYS}, **sections}}


@lru_cache(maxsize=64)
def _section_schema(name: str) -> _Schema:
    schema: _Schema = SECTIONS.get(name).model.model_json_schema(by_alias=True)
    return schema


def _answer(path: str, places: list[_Place]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    children: dict[str, dict[str, Any]] = {}
    for place in places:
        facts = {**place.facts(), **facts}
        for key, child, required in place.children():
            children.setdefault(
                key,
                {
                    "key": key,
                    "path": f"{path}{key}" if key == "[]" else f"{path}.{key}" if path else key,
                    "type": child.facts().get("type"),
                    "required": required,
                    "hasChildren": any(True for _each in child.children()),
                },
            )
    return {"path": path, "schema": facts, "children": list(children.values())}


def _unknown(places: list[_Place], steps: list[str]) -> str:
    known = [key for place in places for key, _child, _required in place.children()]
    values = {"path": path_text(steps)}
    if near := nearest(steps[-1], known):
        return _("%(path)s is not known; did you mean %(key)s?") % {**values, "key": near}
    return _("%(path)s is not known") % values
