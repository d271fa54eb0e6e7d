"""Who a REST request speaks for."""

from __future__ import annotations

from dataclasses import dataclass

from agents.core.principal import Principal
from sessions.models import Person


@dataclass(frozen=True, slots=True)
class Caller:
    """The `request.user` of the API: a person, and the rights of this very request.

    A token may have fewer rights than its person; `principal` has the smaller ones.
    """

    person: Person
    principal: Principal
    is_authenticated: bool = True
