"""The ways on which an owner can be told of a question, by their names in the configuration."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from agents.core.registry import Registry


@dataclass(frozen=True, slots=True)
class Notice:
    """One question on its way to one place. `payload` is that of exec.approval.requested.

    `route`, `to` and `secret` are those of the configured target, `text` is what people read.
    """

    approval_id: str
    route: str
    to: str
    secret: str
    text: str
    payload: dict[str, Any]


# Each carries one notice to its place, on the worker's event loop. May raise; it is not repeated.
NOTICE_ROUTES: Registry[Callable[[Notice], Awaitable[None]]] = Registry("notice route")
NOTICE_ROUTES.register("web", "sessions.approvals.notice_session:notice_to_session")
NOTICE_ROUTES.register("webhook", "sessions.approvals.notice_webhook:notice_to_webhook")
