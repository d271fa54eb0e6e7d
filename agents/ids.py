"""Public identifiers: sortable by time of making, safe in addresses and Redis keys."""

from __future__ import annotations

import secrets

from ulid import ULID


def new_id() -> str:
    """A ULID in lower case: 26 characters, sortable by the millisecond it was made."""
    return str(ULID()).lower()


def entry_id() -> str:
    """A transcript entry id: 8 hexadecimal digits, as the reference transcript has them."""
    return secrets.token_hex(4)
