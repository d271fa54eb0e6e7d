"""Turns what a parser read into plain JSON data, or says what cannot be part of a document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.paths import Path
from agents.config.redaction import SEALED

# Far above any real configuration; stops documents that unfold when they are read.
MAX_NODES = 100_000
MAX_DEPTH = 40
# JSON numbers beyond 64 bits are not kept exactly by databases and clients.
_BIGGEST = 2**63


class PlainReader:
    """Copies one document into dicts, lists, text, numbers, booleans and None."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._nodes = 0

    def read(self, value: Any, path: Path = ()) -> Any:
        """The plain copy of `value`; findings are noted and answered with None."""
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            if not self._findings.errors:
                self._findings.error(path, _("the document is too big or too deeply nested"))
            return None
        if isinstance(value, Mapping):
            return self._mapping(value, path)
        if isinstance(value, list):
            return [self.read(item, (*path, index)) for index, item in enumerate(value)]
        return self._scalar(value, path)

    def _mapping(self, value: Mapping[Any, Any], path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str | int) or isinstance(key, bool):
                self._findings.error((*path, str(key)), _("keys must be text: put it in quotes"))
            elif key == SEALED:
                self._findings.error((*path, SEALED), _("this key is reserved"))
            else:
                name = self._text(str(key), (*path, str(key)))
                result[name] = self.read(item, (*path, name))
        return result

    def _scalar(self, value: Any, path: Path) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(str(value), path)
        if isinstance(value, int) and abs(value) < _BIGGEST:
            return int(value)
        if isinstance(value, float) and math.isfinite(value):
            return float(value)
        self._findings.error(
            path, _("must be text, a finite number, true, false or null: put it in quotes")
        )
        return None

    def _text(self, text: str, path: Path) -> str:
        if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
            self._findings.error(path, _("contains a character that cannot be stored"))
            return ""
        return text
