"""Secrets inside documents: found by the name of their key, encrypted at rest, never shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.paths import Path
from agents.config.substitution import references
from agents.secrets import secret_open, secret_seal

# What the protocol shows in a secret's place (gateway.md 2.3); given back, it means "keep".
REDACTED = "__OPENCLAW_REDACTED__"
SEALED = "$sealed"

_SECRET_NAME = re.compile(
    r"(token|password|passwd|passphrase|secret|apikey|privatekey|accesskey|signingkey"
    r"|credentials|authorization|cookie)\Z"
)
_SECRET_VARIABLE = re.compile(r"(key|pass|pwd|auth)\Z")
_ENVIRONMENTS = ("env", "vars", "headers")


def is_secret(key: str, parent: str, text: str) -> bool:
    """Whether `text`, found under `key` inside the object `parent`, must not be shown.

    Text with a ${REFERENCE} is none: the secret is in the environment.
    """
    name = key.lower().replace("_", "").replace("-", "")
    named = _SECRET_NAME.search(name) is not None
    named = named or (parent in _ENVIRONMENTS and _SECRET_VARIABLE.search(name) is not None)
    return named and bool(text) and not references(text)


def seal(document: Any) -> Any:
    """A copy with every secret encrypted, for the database."""
    return _secrets_map(document, lambda text: {SEALED: secret_seal(text=text)})


def redact(document: Any) -> Any:
    """A copy with every secret replaced, for people and programs."""
    return _secrets_map(document, lambda _text: REDACTED)


def unseal(document: Any) -> Any:
    """A copy with every encrypted secret opened. Raises UserError when the key is gone."""
    if isinstance(document, dict):
        sealed = document.get(SEALED)
        if isinstance(sealed, str):
            return secret_open(sealed=sealed)
        return {key: unseal(value) for key, value in document.items()}
    return [unseal(item) for item in document] if isinstance(document, list) else document


def _secrets_map(value: Any, change: Callable[[str], Any], key: str = "", parent: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _secrets_map(item, change, name, key) for name, item in value.items()}
    if isinstance(value, list):
        return [_secrets_map(item, change, key, parent) for item in value]
    if isinstance(value, str) and is_secret(key, parent, value):
        return change(value)
    return value


def has_mark(value: Any) -> bool:
    """Whether a placeholder stands anywhere in `value`."""
    if isinstance(value, dict):
        return any(has_mark(item) for item in value.values())
    return any(has_mark(item) for item in value) if isinstance(value, list) else value == REDACTED


def restore(value: Any, current: Any, findings: Findings, path: Path = ()) -> Any:
    """A copy of `value` with every placeholder replaced by what `current` has in its place.

    Items of lists that have an `id` are found by it, others by their position.
    """
    if isinstance(value, dict):
        known = current if isinstance(current, dict) else {}
        return {
            key: restore(item, known.get(key), findings, (*path, key))
            for key, item in value.items()
        }
    if isinstance(value, list):
        known_items = current if isinstance(current, list) else []
        return [
            restore(item, _counterpart(item, index, known_items), findings, (*path, index))
            for index, item in enumerate(value)
        ]
    if value == REDACTED and current is None:
        text = _("%(mark)s keeps a stored value, but none is stored here")
        findings.error(path, text % {"mark": REDACTED})
    return current if value == REDACTED else value


def _counterpart(item: Any, index: int, known: list[Any]) -> Any:
    if isinstance(item, dict) and "id" in item:
        found = (old for old in known if isinstance(old, dict) and old.get("id") == item["id"])
        return next(found, None)
    return known[index] if index < len(known) else None
