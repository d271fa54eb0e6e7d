"""${VARIABLE} references in the text of a document (automation.md 7.1).

Documents and rows keep the reference; the value is put in when it is used, so a changed
variable needs no second apply and a secret stays in the environment. `$${NAME}` is the text
`${NAME}` itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from agents.config.paths import Path

_REFERENCE = re.compile(r"\$(\$?)\{([A-Z_][A-Z0-9_]*)\}")

Lookup = Callable[[str], str]
OnMissing = Callable[[Path, str], None]


class _Missing(Exception):
    """Carries the name of a variable that is not set."""


def references(text: str) -> list[str]:
    """The variables that `text` refers to, in order."""
    return [match[2] for match in _REFERENCE.finditer(text) if not match[1]]


def reference_lookup(document: Mapping[str, Any]) -> Lookup:
    """Finds variables in the environment, then in the document's own `env` section.

    An empty variable counts as missing. The answer for a missing one is "".
    """
    section = document.get("env")
    own = dict(section) if isinstance(section, Mapping) else {}
    more = own.pop("vars", None)
    own |= more if isinstance(more, Mapping) else {}

    def lookup(name: str) -> str:
        value = os.environ.get(name) or own.get(name)
        return value if isinstance(value, str) else ""

    return lookup


def substitute(value: Any, lookup: Lookup, on_missing: OnMissing, path: Path = ()) -> Any:
    """A copy of `value` with references replaced.

    `on_missing(path, name)` is called for a variable that is not set; the text it is part of
    becomes None, and a key with such a value is left out.
    """
    if isinstance(value, dict):
        items = (
            (key, item, substitute(item, lookup, on_missing, (*path, key)))
            for key, item in value.items()
        )
        return {key: new for key, old, new in items if new is not None or old is None}
    if isinstance(value, list):
        return [substitute(item, lookup, on_missing, (*path, i)) for i, item in enumerate(value)]
    if not isinstance(value, str) or "${" not in value:
        return value
    try:
        return _replaced(value, lookup)
    except _Missing as missing:
        on_missing(path, str(missing))
        return None


def escaped(text: str) -> str:
    """`text` written so that it comes back unchanged from `substitute`."""
    return _REFERENCE.sub(lambda match: "$" + match[0], text)


def _replaced(text: str, lookup: Lookup) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1]:
            return match[0][1:]
        found = lookup(match[2])
        if not found:
            raise _Missing(match[2])
        return found

    return _REFERENCE.sub(value, text)
