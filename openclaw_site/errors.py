"""Errors of the product as HTTP answers of one JSON shape.

    {"error": {"code": "...", "message": "...", "details": {...}, "id": "..."}}

`id` is also in the log, so that a person can name the failure. What is not an error of ours
answers "internal error" only: exception texts may hold secrets.
"""

from __future__ import annotations

import secrets
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from agents.core.errors import NotFound, OpenClawError, PolicyDenied, ProviderError, UserError
from agents.database import data_fault

log = structlog.get_logger(__name__)
# Errors below 500 are the caller's own; their text is for the caller.
_TELLABLE = (UserError, PolicyDenied, ProviderError)


def error_body(
    *, code: str, message: str, details: dict[str, Any] | None = None, error_id: str = ""
) -> dict[str, Any]:
    """The JSON shape of every error answer."""
    return {
        "error": {
            "code": code,
            "message": message,
            "details": details or {},
            "id": error_id or secrets.token_hex(6),
        }
    }


def error_describe(error: Exception) -> tuple[int, dict[str, Any]]:
    """HTTP status and body for any exception; what is unexpected is logged with its id."""
    error_id = secrets.token_hex(6)
    if isinstance(error, Http404):
        error = NotFound(_("There is no such thing here."))
    elif isinstance(error, PermissionDenied):
        error = PolicyDenied(str(error) or _("You may not do this."))
    error = data_fault(error) or error
    if isinstance(error, _TELLABLE):
        body = error_body(
            code=error.code, message=error.message, details=error.details, error_id=error_id
        )
        return error.status, body
    log.error("request_failed", error_id=error_id, exc_info=error)
    code = error.code if isinstance(error, OpenClawError) else "internal_error"
    return 500, error_body(code=code, message=_("Internal error."), error_id=error_id)


def error_response(error: Exception) -> JsonResponse:
    """The answer for an exception that a plain view let through."""
    status, body = error_describe(error)
    response = JsonResponse(body, status=status)
    if isinstance(error, ProviderError) and error.retry_after is not None:
        response["Retry-After"] = str(max(1, round(error.retry_after)))
    return response


def rest_error_response(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """DRF's exception handler: the same shape, with the framework's status and headers."""
    from rest_framework.exceptions import APIException, ValidationError
    from rest_framework.views import exception_handler, set_rollback

    if not isinstance(error, APIException):
        set_rollback()
        return error_response(error)
    framework = exception_handler(error, context)
    if framework is None:
        return None
    codes = error.get_codes()
    details = {"fields": error.detail} if isinstance(error, ValidationError) else {}
    body = error_body(
        code="invalid_request" if isinstance(error, ValidationError) else str(codes),
        message=_first_message(error.detail),
        details=details,
    )
    response = JsonResponse(body, status=framework.status_code)
    for name in ("WWW-Authenticate", "Retry-After", "Allow"):
        if name in framework.headers:
            response[name] = framework.headers[name]
    return response


def _first_message(detail: Any, field: str = "") -> str:
    if isinstance(detail, dict) and detail:
        name, inner = next(iter(detail.items()))
        return _first_message(inner, "" if name == "non_field_errors" else str(name))
    if isinstance(detail, list) and detail:
        return _first_message(detail[0], field)
    return f"{field}: {detail}" if field else str(detail)


def wants_json(request: HttpRequest) -> bool:
    """Whether the caller is a program: an API address, or JSON asked for before HTML."""
    if request.path_info.startswith(("/api/", "/v1/", "/tools/", "/hooks/", "/webhooks/")):
        return True
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"
