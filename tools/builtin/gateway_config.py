"""Reading and changing the configuration for the tool `gateway`. Uses the database."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings

from agents.config.cache import cache_bypass, cache_clear
from agents.config.issues import ConfigReport, Findings
from agents.config.lookup import config_schema_lookup
from agents.config.merging import document_changes, document_hash, document_merge
from agents.config.parsing import document_parse
from agents.config.paths import path_parse, path_text
from agents.config.redaction import REDACTED
from agents.config.selectors import config_get, document_current
from agents.config.services import config_apply
from agents.core.errors import Conflict, PolicyDenied, UserError
from agents.database import write_transaction
from tools.builtin.gateway_protected import protected_because

# Characters of a document that is given; the reference's frames hold no more.
MOST_RAW = 1_000_000
# More places than these are not listed in a refusal.
_LISTED = 10


def schema_lookup(path: str) -> dict[str, Any]:
    """What may stand at a place, and why an agent may not change it. Raises UserError."""
    found = config_schema_lookup(path=path)
    if path and (reason := protected_because(path_parse(path.replace("[]", "[0]")))):
        found["protected"] = reason
    return found


def config_read(path: str) -> dict[str, Any]:
    """The configuration or one place in it without secrets, and the hash of the whole."""
    with cache_bypass():
        value = config_get(path=path)
        return {"path": path, "config": value, "hash": _hash(document_current())}


def config_write(*, raw: str, base_hash: str, patch: bool, author: str, note: str) -> ConfigReport:
    """Makes `raw` the configuration, or merges it into the present one with `patch`.

    Raises Conflict when the configuration is not the one of `base_hash` any more, PolicyDenied
    with the places that an agent may not change, and ConfigInvalid. Then nothing is written.
    """
    if not base_hash:
        raise UserError("baseHash: is missing; take the hash that config.get gives.")
    if len(raw) > MOST_RAW:
        raise UserError(f"raw: is longer than {MOST_RAW:,} characters.")
    try:
        with cache_bypass(), write_transaction():
            before = document_current()
            if _hash(before) != base_hash:
                raise Conflict(
                    "The configuration has changed since; call config.get again and use its hash."
                )
            text = _merged(before, raw) if patch else raw
            report = config_apply(text=text, author=author[:64], note=note[:200])
            # The rows, not the text: whatever way a change was spelled, here it is seen.
            _check(before, document_current())
    finally:
        # Others may have read rows that were not committed yet, or were taken back.
        cache_clear()
    return report


def _hash(document: dict[str, Any]) -> str:
    return document_hash(document, key=settings.SECRET_KEY.encode())


def _merged(before: dict[str, Any], raw: str) -> str:
    findings = Findings()
    patch = document_parse(raw, findings)
    if findings.errors:
        raise UserError(f"raw: {'; '.join(str(issue) for issue in findings.errors)}")
    return json.dumps(document_merge(before, _without_marks(patch)))


def _without_marks(patch: Any) -> Any:
    """The patch without values that only say "keep what is stored"."""
    if isinstance(patch, dict):
        return {key: _without_marks(v) for key, v in patch.items() if v != REDACTED}
    return [_without_marks(item) for item in patch] if isinstance(patch, list) else patch


def _check(before: dict[str, Any], after: dict[str, Any]) -> None:
    refused = [
        (path_text(path), reason)
        for path in document_changes(before, after)
        if (reason := protected_because(path))
    ]
    if refused:
        lines = [f"{path}: {reason}" for path, reason in refused[:_LISTED]]
        if len(refused) > _LISTED:
            lines.append(f"and {len(refused) - _LISTED} more")
        raise PolicyDenied(
            "Nothing was changed. An agent may not change these settings; ask a person to do it in "
            "the administration:\n" + "\n".join(lines)
        )
