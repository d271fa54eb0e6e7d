"""What went wrong with a call, as one typed `ProviderError`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import structlog

from agents.core.errors import ProviderError, ProviderReason
from agents.core.model import ModelInfo
from agents.providers.classify import classify
from agents.providers.classify_details import (
    image_refused,
    retry_delay,
    thinking_refused,
    tokens_observed,
)
from agents.providers.common.body import json_decode

log = structlog.get_logger(__name__)

# Statuses at which a service may say when to come back.
_RETRY_STATUSES = frozenset({408, 409, 429})
# Bodies nest `error` and `cause`; deeper than this nobody hides a message.
_MAX_DEPTH = 25
# Enough to understand a failure; some services send whole pages.
_MAX_TEXT = 600
_SHORTEST_SECRET = 8
# Classes of HTTP libraries for an address or a header with which nothing can ever be sent.
_UNSENDABLE = frozenset({"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"})
# Reasons under which a service refuses what the history holds.
_REFUSALS = ("format", "unclassified")


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a service's error body says. `status` only if the body carries one."""

    message: str = ""
    code: str = ""
    status: int | None = None


def complaint_from(body: Any, depth: int = 0) -> Complaint:
    """Message, code and status out of an error body of any shape. Never raises."""
    if isinstance(body, str):
        return Complaint(message=body)
    if isinstance(body, list) and body:
        return complaint_from(body[0], depth + 1)
    if not isinstance(body, Mapping) or depth > _MAX_DEPTH:
        return Complaint()
    for key in ("error", "cause"):
        inner = complaint_from(body.get(key), depth + 1)
        if inner.message or inner.code:
            return inner
    message = body.get("message") or body.get("detail") or ""
    code = body.get("code") or body.get("status")
    kind = body.get("type")
    if isinstance(code, int) or (isinstance(code, str) and code.isdigit()):
        return Complaint(_text(message), _text(kind), int(code))
    return Complaint(_text(message), _text(code or kind))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def error_from_body(
    body: Any,
    model: ModelInfo,
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> ProviderError:
    """The error for an HTTP failure, or (without `status`) for one that a 200 stream carried."""
    complaint = complaint_from(body)
    status = complaint.status if status is None else status
    reason = classify(status=status, code=complaint.code, message=complaint.message)
    text = complaint.message or complaint.code or "no details"
    where = f"HTTP {status}: " if status else ""
    error = provider_error(
        model,
        f"{where}{text}",
        reason=reason,
        http_status=status,
        retry_after=_retry_after(status, headers or {}),
    )
    if error.retry_after is None:
        error.retry_after = retry_delay(body)
    details = f"{complaint.code} {complaint.message}"
    error.thinking_refused = reason in _REFUSALS and thinking_refused(status, details)
    error.image_refused = reason in _REFUSALS and image_refused(status, details)
    if reason == "context_overflow":
        error.observed_tokens = tokens_observed(complaint.message)
    return error


def provider_error(
    model: ModelInfo,
    text: str,
    *,
    reason: ProviderReason,
    http_status: int | None = None,
    retry_after: float | None = None,
) -> ProviderError:
    """A `ProviderError` whose text names the model and never holds the key."""
    # Local services take any key; replacing one such as "x" would only garble the text.
    if len(model.api_key) >= _SHORTEST_SECRET:
        text = text.replace(model.api_key, "***")
    text = text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"
    return ProviderError(
        f"{model.ref}: {text}", reason=reason, http_status=http_status, retry_after=retry_after
    )


def error_from_exception(error: Exception, model: ModelInfo) -> ProviderError:
    """The error for whatever a vendor's library raised. The library itself is not imported."""
    if isinstance(error, ProviderError):
        return error
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", getattr(response, "status_code", None))
    if isinstance(status, int):
        body = getattr(error, "body", None) or getattr(error, "message", "") or _body_of(response)
        return error_from_body(body, model, status=status, headers=getattr(response, "headers", {}))
    if type(error).__name__ in _UNSENDABLE:
        text = f"the request cannot be sent to {model.base_url!r}: {error}"
        return provider_error(model, text, reason="format")
    if _is_network_failure(error):
        text = f"The service at {model.base_url or 'its default address'} could not be reached"
        return provider_error(model, f"{text}: {_root_text(error)}", reason="timeout")
    log.error("model_call_failed", model=model.ref, exc_info=error)
    reason = classify(message=str(error))
    return provider_error(model, f"{type(error).__name__}: {error}", reason=reason)


def _body_of(response: Any) -> Any:
    """What a plain HTTP client read of a refusal: JSON where it is some, else text."""
    content = getattr(response, "content", b"")
    try:
        return json_decode(content)
    except ValueError:
        return content.decode("utf-8", "replace") if isinstance(content, bytes) else ""


def _is_network_failure(error: Exception) -> bool:
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"APIConnectionError", "RequestError", "OSError", "ClientError"})


def _root_text(error: BaseException) -> str:
    """The innermost cause has the detail ("Connection refused"); the outer ones only wrap it."""
    depth = 0
    while error.__cause__ is not None and depth < _MAX_DEPTH:
        error, depth = error.__cause__, depth + 1
    return str(error) or type(error).__name__


def _retry_after(status: int | None, headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the headers ask (milliseconds, seconds or a date); None without."""
    if status is None or not (status in _RETRY_STATUSES or status >= 500):
        return None
    exact, plain = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if exact is not None:
            return max(0.0, float(exact) / 1000)
        return None if plain is None else max(0.0, float(plain))
    except ValueError:
        return _seconds_until(plain or "")


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None
