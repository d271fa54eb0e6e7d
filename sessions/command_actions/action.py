"""What an action gets, and how it says what can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from agents.core.principal import Principal
from sessions.models import Session
from sessions.receipts import principal_from_json
from sessions.services import session_patch


@dataclass(frozen=True, slots=True)
class Asked:
    """A command in its session: `rest` stood behind its name, `fields` are those of the message."""

    session: Session
    rest: str
    fields: Mapping[str, Any]

    @property
    def principal(self) -> Principal:
        """In whose name the command came."""
        return principal_from_json(self.fields["principal"])

    def patch(self, **changes: Any) -> Session:
        """Changes the session as any other door does, so that every client hears of it."""
        return session_patch(principal=self.principal, key=self.session.key, changes=changes)


Action = Callable[[Asked], str]


def choices_line(choices: Sequence[str]) -> str:
    """The sentence that names what can be chosen."""
    return _("Choices: %(choices)s.") % {"choices": ", ".join(choices)}
