"""What a failed request is answered with (gateway.md 1.2)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import structlog

from agents.core.errors import (
    NotFound,
    OpenClawError,
    PolicyDenied,
    ProviderError,
    UserError,
)
from agents.database import data_fault

log = structlog.get_logger(__name__)

INVALID_REQUEST = "INVALID_REQUEST"
NOT_PAIRED = "NOT_PAIRED"
UNAVAILABLE = "UNAVAILABLE"
FORBIDDEN = "FORBIDDEN"
PROTOCOL_MISMATCH = "PROTOCOL_MISMATCH"
# Codes that protocol 3 does not know become this one.
_NEW_IN_4 = frozenset({FORBIDDEN, PROTOCOL_MISMATCH})


class GatewayError(Exception):
    """A request that is answered with `ok: false`. The message goes to the client as it stands."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        details: Mapping[str, Any] | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = dict(details or {})
        self.retry_after_ms = retry_after_ms

    def body(self, protocol: int) -> dict[str, Any]:
        """The `error` object of a response in the given protocol version."""
        code = INVALID_REQUEST if protocol < 4 and self.code in _NEW_IN_4 else self.code
        body: dict[str, Any] = {"code": code, "message": self.message}
        if self.details:
            body["details"] = self.details
        if self.retry_after_ms is not None:
            body |= {"retryable": True, "retryAfterMs": self.retry_after_ms}
        return body


def invalid(message: str, **details: Any) -> GatewayError:
    """The caller's own mistake."""
    return GatewayError(INVALID_REQUEST, message, details=details)


def missing_scope(scope: str) -> GatewayError:
    """The connection lacks a right."""
    return GatewayError(
        FORBIDDEN,
        f"missing scope: {scope}",
        details={"code": "MISSING_SCOPE", "missingScope": scope, "requiredScopes": [scope]},
    )


def error_from(error: Exception, *, method: str) -> GatewayError:
    """Any exception of a handler as an answer; what is unexpected is logged under an id."""
    if isinstance(error, GatewayError):
        return error
    error = data_fault(error) or error
    if isinstance(error, PolicyDenied):
        return GatewayError(FORBIDDEN, error.message, details=_details(error))
    if isinstance(error, UserError):
        return GatewayError(INVALID_REQUEST, error.message, details=_details(error))
    if isinstance(error, ProviderError):
        return GatewayError(UNAVAILABLE, error.message, details={"reason": error.reason})
    error_id = secrets.token_hex(6)
    log.error("gateway.method_failed", method=method, error_id=error_id, exc_info=error)
    return GatewayError(UNAVAILABLE, f"internal error ({error_id})", details={"id": error_id})


def _details(error: OpenClawError) -> dict[str, Any]:
    code = {"code": error.code.upper()} if isinstance(error, NotFound) else {}
    return {**code, **error.details}
