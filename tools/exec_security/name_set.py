"""Names in a text, for tables that are easier to read so."""

from __future__ import annotations


def name_set(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())
