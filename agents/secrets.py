"""Secrets at rest: a text column that is encrypted in the database and never shown.

Keys come from settings.SECRET_ENCRYPTION_KEYS (Fernet keys, the first encrypts, all decrypt),
so a key is rotated by putting a new one in front.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import models

from agents.core.errors import UserError

PREFIX = "f1:"


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def secret_seal(*, text: str) -> str:
    """`text` encrypted with the newest key, as storable ASCII."""
    sealed = _cipher(tuple(settings.SECRET_ENCRYPTION_KEYS)).encrypt(text.encode())
    return PREFIX + sealed.decode()


def secret_open(*, sealed: str) -> str:
    """The text behind `sealed`. Raises UserError when no configured key opens it."""
    if not sealed.startswith(PREFIX):
        return sealed
    try:
        cipher = _cipher(tuple(settings.SECRET_ENCRYPTION_KEYS))
        return cipher.decrypt(sealed[len(PREFIX) :].encode()).decode()
    except InvalidToken as error:
        raise UserError(
            "A stored secret cannot be decrypted: the key in secret.key or OPENCLAW_SECRET_KEYS "
            "is not the one it was stored with. Put the old key back or enter the secret anew."
        ) from error


class SecretField(models.TextField):  # type: ignore[type-arg]
    """A TextField whose value is encrypted on the way to the database."""

    def get_prep_value(self, value: Any) -> Any:
        """Encrypts; empty stays empty so that "is it set?" needs no key."""
        text = super().get_prep_value(value)
        return secret_seal(text=text) if text else text

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        """Decrypts what was read."""
        return secret_open(sealed=value) if value else value
