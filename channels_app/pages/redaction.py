"""Secrets removed from what pages show of requests and results. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

REMOVED = "[secret removed]"
# Shapes of well-known keys. Short or common words must not match, or text becomes unreadable.
_SHAPES = re.compile(
    r"sk-[A-Za-z0-9_-]{16,}"
    r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"
    r"|xox[abpors]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"
    r"|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}"
    r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_BEARER = re.compile(
    r"(?i)(\bbearer\s+|\bauthorization:\s*(?:basic|token)\s+)[A-Za-z0-9._~+/=-]{8,}"
)
# Tokens in the plural are counted, not kept secret.
_ASSIGNED = re.compile(
    r"(?i)([\w.-]*(?:api[_-]?key|secret|passwd|password|token(?!s))[\w.-]*[\"']?\s*[:=]\s*[\"']?)"
    r"[^\s\"',;&]{6,}"
)
_SECRET_NAME = re.compile(
    r"(?i)(?:api[_-]?key|secret|passw(?:or)?d|authorization|cookie|credential|^token$|[_-]token$)"
)


def text_redacted(text: str, *, known: Iterable[str] = ()) -> str:
    """`text` without `known` secrets and without anything that has the shape of one."""
    for secret in known:
        if len(secret) >= 8:
            text = text.replace(secret, REMOVED)
    text = _SHAPES.sub(REMOVED, text)
    text = _BEARER.sub(rf"\1{REMOVED}", text)
    return _ASSIGNED.sub(rf"\1{REMOVED}", text)


def value_redacted(value: Any, *, known: Sequence[str] = ()) -> Any:
    """A JSON value with the same treatment; values under telling names go as a whole."""
    if isinstance(value, str):
        return text_redacted(value, known=known)
    if isinstance(value, Mapping):
        return {
            name: REMOVED
            if isinstance(inner, str) and inner and _SECRET_NAME.search(str(name))
            else value_redacted(inner, known=known)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [value_redacted(inner, known=known) for inner in value]
    return value
