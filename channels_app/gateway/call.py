"""One request while it is carried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agents.core.principal import Principal
from agents.database import run_db
from agents.selectors import default_agent_slug
from channels_app.gateway.connection import Connection
from channels_app.gateway.registry import ANSWERED
from sessions.keys import session_key_normalise

if TYPE_CHECKING:
    from channels_app.gateway.hub.hub import Hub


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler sees."""

    connection: Connection
    request_id: str
    hub: Hub

    @property
    def principal(self) -> Principal:
        """In whose name the request is made."""
        return self.connection.principal

    def answer(self, payload: Any) -> Any:
        """Answers now. A handler that did so returns what this returns."""
        self.connection.answer(self.request_id, payload)
        return ANSWERED

    async def db(self, service: Callable[..., Any], **fields: Any) -> Any:
        """Runs a service or selector in the name of the caller."""
        return await run_db(service, principal=self.principal, **fields)

    async def session_key(self, raw: str) -> str:
        """The canonical key for what a client wrote. Raises UserError."""
        if raw[:6].lower() == "agent:":
            return session_key_normalise(raw, default_agent="")
        default = await run_db(default_agent_slug)
        return session_key_normalise(raw, default_agent=default)
