"""Looks at a whole document: every finding at once, nothing written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from pydantic import ValidationError

from agents.config.issues import Findings
from agents.config.paths import Path
from agents.config.redaction import has_mark, restore
from agents.config.registry import KNOWN_KEYS, SECTIONS, USED_KEYS
from agents.config.schema import Strict, kept_paths, schema_errors, unknown_key
from agents.config.section import Document
from agents.config.substitution import reference_lookup, substitute


@dataclass(slots=True)
class Examined:
    """A document taken apart. `sections` and `typed` have only registered sections."""

    document: Document
    sections: dict[str, Document] = field(default_factory=dict)
    typed: dict[str, Strict] = field(default_factory=dict)


def document_examine(
    document: Document, *, current: Callable[[], Document], findings: Findings
) -> Examined:
    """Validates `document` section by section; problems go to `findings`.

    `current` gives the configuration as it is, secrets open; placeholders for secrets are
    replaced from it.
    """
    _check_keys(document, findings)
    if has_mark(document):
        document = restore(document, current(), findings)

    def on_missing(path: Path, name: str) -> None:
        text = _("the environment variable %(name)s is not set")
        findings.error(path, text % {"name": name})

    replaced = substitute(document, reference_lookup(document), on_missing)
    examined = Examined(document=document)
    for name in SECTIONS.names():
        if name in document:
            _examine_section(name, document[name], replaced.get(name), examined, findings)
    for _name, section in SECTIONS:
        section.check_whole(examined.typed, document, findings)
    return examined


def _check_keys(document: Document, findings: Findings) -> None:
    registered = SECTIONS.names()
    for key in document:
        if key not in KNOWN_KEYS and key not in registered:
            findings.error((key,), unknown_key(key, [*KNOWN_KEYS, *registered]))
        elif key not in registered and key not in USED_KEYS:
            findings.keep((key,))


def _examine_section(
    name: str,
    raw: Any,
    replaced: Any,
    examined: Examined,
    findings: Findings,
) -> None:
    if not isinstance(raw, dict):
        findings.error((name,), _("must be an object"))
        return
    section = SECTIONS.get(name)
    examined.sections[name] = section.normalise(raw, Findings())
    content = section.normalise(replaced or {}, findings)
    try:
        typed = section.model.model_validate(content)
    except ValidationError as error:
        for path, message in schema_errors(section.model, error):
            findings.error((name, *path), message)
        return
    for path in kept_paths(typed, (name,)):
        findings.keep(path)
    section.check(typed, findings)
    examined.typed[name] = typed
