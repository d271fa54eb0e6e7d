"""The rows of ConfigSection as documents: secrets open, references unreplaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.config.cache import cached
from agents.config.redaction import seal, unseal
from agents.models import ConfigSection


def documents() -> Mapping[str, Any]:
    """Every stored document by its name. Must not be changed by the caller."""
    return cached("documents", _read)


def _read() -> dict[str, Any]:
    rows = ConfigSection.objects.values_list("name", "document")
    return {name: unseal(document) for name, document in rows}


def document_store(*, name: str, document: Any | None) -> None:
    """Keeps `document` under `name`, its secrets encrypted; None removes it."""
    if document is None:
        ConfigSection.objects.filter(name=name).delete()
    else:
        ConfigSection.objects.update_or_create(name=name, defaults={"document": seal(document)})
