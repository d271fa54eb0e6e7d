"""Reads of the configuration: the whole document, one place in it, one section with defaults."""

from __future__ import annotations

from typing import Any

import structlog
from django.utils.translation import gettext as _
from pydantic import ValidationError

from agents.config.cache import cached
from agents.config.documents import documents
from agents.config.issues import Findings
from agents.config.paths import Path, nearest, path_parse, path_text, value_at
from agents.config.redaction import redact
from agents.config.registry import KNOWN_KEYS, SECTIONS
from agents.config.schema import Strict, schema_errors
from agents.config.section import Document, Section
from agents.config.substitution import reference_lookup, substitute
from agents.core.errors import NotFound

log = structlog.get_logger(__name__)


def document_current() -> Document:
    """The configuration as the rows have it: secrets open, references unreplaced.

    Never to be shown or logged.
    """
    registered = SECTIONS.names()
    result: Document = {}
    for name in sorted({*KNOWN_KEYS, *registered}):
        content = SECTIONS.get(name).dump() if name in registered else documents().get(name)
        if content is not None:
            result[name] = content
    return result


def config_get(*, path: str = "") -> Any:
    """The configuration, or what stands at `path` in it; secrets are replaced by a mark.

    An item of a list is named by its index or its `id`. Raises NotFound with the nearest key.
    """
    document = redact(document_current())
    try:
        steps = path_parse(path)
    except ValueError as error:
        text = _("%(path)s is not a path such as agents.list[0].model")
        raise NotFound(text % {"path": path}) from error
    try:
        return value_at(document, steps)
    except KeyError as error:
        taken = int(error.args[0])
        raise NotFound(_not_there(document, steps, taken)) from error


def _not_there(document: Document, steps: Path, taken: int) -> str:
    values = {"path": path_text(steps[: taken + 1])}
    parent = value_at(document, steps[:taken])
    if isinstance(parent, dict) and (key := nearest(str(steps[taken]), list(parent))):
        return _("%(path)s is not set; did you mean %(key)s?") % {**values, "key": key}
    return _("%(path)s is not set") % values


def section_read(name: str) -> Strict:
    """What `agents.config.registry.section` answers.

    A value whose variable is not set counts as absent, and a section that has become invalid
    counts as empty: both are logged and stop nothing.
    """
    return cached(("section", name), lambda: _section_build(name))


def _section_build(name: str) -> Strict:
    spec: Section[Strict] = SECTIONS.get(name)

    def on_missing(path: Path, variable: str) -> None:
        log.warning("config_variable_missing", path=path_text((name, *path)), variable=variable)

    content = substitute(spec.settings(), reference_lookup(documents()), on_missing)
    try:
        return spec.model.model_validate(spec.normalise(content, Findings()))
    except ValidationError as error:
        problems = [f"{path_text(p)}: {text}" for p, text in schema_errors(spec.model, error)]
        log.error("config_section_invalid", section=name, problems=problems)
        return spec.model()


def config_truthy(path: str) -> bool:
    """Whether something that counts as true stands at `path`, defaults included.

    False for a path that does not exist. The answer never shows a value.
    """
    try:
        steps = path_parse(path)
        name = str(steps[0])
        if name in SECTIONS.names():
            content: Any = section_read(name).model_dump(mode="json", by_alias=True)
        else:
            content = documents().get(name)
        return bool(value_at(content, steps[1:]))
    except (ValueError, KeyError, IndexError, TypeError):
        return False


def text_resolve(text: str) -> str:
    """`text` of a row with its ${REFERENCES} replaced; a missing variable gives ""."""
    if "${" not in text:
        return text
    return str(value_resolve(text) or "")


def value_resolve(value: Any) -> Any:
    """A copy of a row's JSON with its ${REFERENCES} replaced; missing ones are left out."""

    def on_missing(_path: Path, variable: str) -> None:
        log.warning("config_variable_missing", variable=variable)

    return substitute(value, reference_lookup(documents()), on_missing)
