"""What is known of a connection before and after it said who it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agents.core.principal import ALL_SCOPES, Principal
from channels_app.config_section import shared_token
from sessions.models import Person

Method = Literal["token", "none", "device", "session"]


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A connection before its first frame."""

    address: str
    is_local: bool
    headers: Mapping[str, str]
    nonce: str

    @property
    def has_origin(self) -> bool:
        """Whether a browser opened it."""
        return "origin" in self.headers


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a socket is. `principal.scopes` is what it may ask for.

    `cookie` is the key of the browser's session, `device_token` the device's own secret,
    `secret_digest` the SHA-256 of the shared token that let it in.
    """

    principal: Principal
    method: Method
    device_id: str = ""
    device_token: str = ""
    issued_at_ms: int = 0
    cookie: str = ""
    secret_digest: str = ""


def granted(person: Person, asked: Sequence[str] | None, allowed: Sequence[str]) -> Principal:
    """The person with the scopes that were asked for and are allowed; all of them when nothing
    was said about scopes."""
    own = person.principal()
    most = replace(own, scopes=tuple(scope for scope in allowed if own.has_scope(scope)))
    wanted = most.scopes if asked is None else asked
    known = [scope for scope in ALL_SCOPES if scope in wanted and most.has_scope(scope)]
    return replace(own, scopes=tuple(known))


def secret_digest() -> str:
    """The SHA-256 of the shared token as it is now. May read the configuration."""
    return hashlib.sha256(shared_token().encode()).hexdigest()
