"""The keys of `toolsBySender`: `id:`, `e164:`, `username:`, `name:` and `*`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from tools.policy.facts import Sender

S = TypeVar("S")

# The surest first: a name is whatever its bearer says.
KINDS = ("id", "e164", "username", "name")
ANYBODY = "*"


def sender_key(text: str) -> str:
    """A key in the spelling that is compared. A bare one is an id.

    Raises ValueError for a key that can match nobody.
    """
    plain = text.strip()
    if plain == ANYBODY:
        return plain
    kind, colon, value = plain.partition(":")
    if not colon:
        kind, value = "id", plain
    kind, value = kind.strip().lower(), value.strip().lower()
    if kind not in KINDS or not value:
        known = ", ".join(f"{kind}:" for kind in KINDS)
        raise ValueError(f"a sender is {known} with a value behind it, or *")
    return f"{kind}:{_value(kind, value)}"


def sender_match(rules: Mapping[str, S], sender: Sender) -> S | None:
    """What `rules`, by keys of `sender_key`, say about `sender`: the surest match, `*` at last."""
    if not rules:
        return None
    for kind in KINDS:
        value = _value(kind, str(getattr(sender, kind)).strip().lower())
        if value and (found := rules.get(f"{kind}:{value}")) is not None:
            return found
    return rules.get(ANYBODY)


def _value(kind: str, value: str) -> str:
    if kind == "username":
        return value.removeprefix("@")
    if kind == "e164":
        return "".join(sign for sign in value if sign.isdigit())
    return value
