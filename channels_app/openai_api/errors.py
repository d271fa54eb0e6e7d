"""Errors in the shape of the OpenAI API (gateway.md 4.2, 4.3)."""

from __future__ import annotations

import secrets
from typing import Any

import orjson
import structlog
from django.http import HttpResponse

from agents.core.errors import NotFound, PolicyDenied, ProviderError, UserError
from agents.database import data_fault
from channels_app.gateway.hub.follower import RunEnded

log = structlog.get_logger(__name__)

_STATUS_OF_REASON = {
    "rate_limit": 429,
    "overloaded": 503,
    "timeout": 504,
    "context_overflow": 400,
}


class ApiError(Exception):
    """A request that is answered with an error. The message goes to the caller as it stands."""

    def __init__(
        self,
        status: int,
        message: str,
        kind: str = "invalid_request_error",
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.param = param
        self.code = code
        self.retry_after = retry_after

    def body(self) -> dict[str, Any]:
        """The JSON of the answer."""
        error: dict[str, Any] = {"message": self.message, "type": self.kind}
        if self.param is not None:
            error["param"] = self.param
        if self.code is not None:
            error["code"] = self.code
        return {"error": error}


def unauthorized() -> ApiError:
    """No bearer token, or a wrong one."""
    return ApiError(401, "Unauthorized", "unauthorized")


def too_many_attempts(seconds: float) -> ApiError:
    """Too many wrong tokens came from this address."""
    return ApiError(
        429,
        "Too many failed authentication attempts. Please try again later.",
        "rate_limited",
        retry_after=max(1, round(seconds)),
    )


def run_failed(ended: RunEnded) -> ApiError:
    """A turn that ended in an error."""
    status = _STATUS_OF_REASON.get(ended.error_kind, 500)
    kind = "invalid_request_error" if status == 400 else "api_error"
    text = ended.error_message or "The run failed."
    return ApiError(status, text, kind, code=ended.error_kind or None)


def error_from(error: Exception) -> ApiError:
    """Any exception as an answer; what is unexpected is logged under an id."""
    if isinstance(error, ApiError):
        return error
    error = data_fault(error) or error
    if isinstance(error, NotFound):
        return ApiError(404, error.message, code="not_found")
    if isinstance(error, (UserError, PolicyDenied)):
        return ApiError(error.status, error.message, code=error.code)
    if isinstance(error, ProviderError):
        return ApiError(error.status, error.message, "api_error", code=error.reason)
    error_id = secrets.token_hex(6)
    log.error("openai_api.failed", error_id=error_id, exc_info=error)
    return ApiError(500, "internal error", "api_error", code=error_id)


def error_answer(error: ApiError) -> HttpResponse:
    """The HTTP answer of an error."""
    response = json_answer(error.body(), status=error.status)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    if error.status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def json_answer(body: Any, *, status: int = 200) -> HttpResponse:
    """A JSON answer that nobody may keep."""
    response = HttpResponse(
        orjson.dumps(body), status=status, content_type="application/json; charset=utf-8"
    )
    response["Cache-Control"] = "no-store"
    return response
