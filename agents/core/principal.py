"""Who a message speaks for, as the lower layers see it."""

from __future__ import annotations

from dataclasses import dataclass

# The scopes of the control WebSocket's protocol; admin implies all, write implies read.
ADMIN = "operator.admin"
READ = "operator.read"
WRITE = "operator.write"
APPROVALS = "operator.approvals"
PAIRING = "operator.pairing"
ALL_SCOPES: tuple[str, ...] = (ADMIN, READ, WRITE, APPROVALS, PAIRING)


@dataclass(frozen=True, slots=True)
class Principal:
    """The sender of one message, frozen when it was accepted.

    `id` is the public id of a Person row (never a database key). The rights travel with the
    message, never with the session.
    """

    id: str
    is_owner: bool = False
    name: str = ""
    zone: str = "UTC"
    language: str = "en"
    scopes: tuple[str, ...] = ()

    def has_scope(self, scope: str) -> bool:
        """Whether `scope` is granted, admin and write widening as the protocol says."""
        if ADMIN in self.scopes or scope in self.scopes:
            return True
        return scope == READ and WRITE in self.scopes
