"""Every error of the product, as one tree.

    OpenClawError
    ├── UserError            the caller asked for something that cannot be (4xx)
    │   ├── NotFound         no such thing, or not yours to know of (404)
    │   ├── Conflict         somebody else changed it first (409)
    │   └── LimitReached     a stated limit was hit (429)
    ├── PolicyDenied         a rule forbids it (403)
    ├── ToolError            a tool could not do its work; its text goes to the model
    ├── DeliveryError        a reply could not be handed over (.permanent)
    └── ProviderError        a model service failed (.reason, .retryable, .retry_after)

Inside a stream failures are values (`Failed.error`); these classes are raised at doors only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

# Names from the reference's failover table; `context_overflow` never rotates a credential.
ProviderReason = Literal[
    "auth",
    "auth_permanent",
    "billing",
    "rate_limit",
    "overloaded",
    "timeout",
    "format",
    "model_not_found",
    "session_expired",
    "context_overflow",
    "empty_response",
    "budget",
    "tool_loop",
    "aborted",
    "unclassified",
]

RETRYABLE: frozenset[str] = frozenset({"rate_limit", "overloaded", "timeout", "empty_response"})


class OpenClawError(Exception):
    """Base of all. `code` is stable and for programs, the message is for people."""

    code = "internal_error"
    status = 500

    def __init__(self, message: str, *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})


class UserError(OpenClawError):
    """The request cannot be carried out as asked; the text names the field and the fix."""

    code = "invalid_request"
    status = 400


class NotFound(UserError):
    """There is no such thing, or the caller may not know that there is."""

    code = "not_found"
    status = 404


class Conflict(UserError):
    """The thing changed since the caller read it, or an id is already in use."""

    code = "conflict"
    status = 409


class LimitReached(UserError):
    """A stated limit (size, count, rate) was hit."""

    code = "limit_reached"
    status = 429


class PolicyDenied(OpenClawError):
    """A rule forbids it; the text names the rule."""

    code = "forbidden"
    status = 403


class ToolError(OpenClawError):
    """A tool could not do its work. The text is shown to the model."""

    code = "tool_error"


class DeliveryError(OpenClawError):
    """A reply could not be handed over. `permanent` says that retrying is useless."""

    code = "delivery_failed"

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class ProviderError(OpenClawError):
    """A model service failed. Decisions read `reason`, never the text.

    `retry_after` is in seconds, as the service asked; None when it did not say.
    `thinking_refused` marks a format failure about earlier reasoning or its signatures,
    `image_refused` one about an image; `observed_tokens` is the size of the request as an overflow
    error stated it.
    """

    code = "provider_error"
    status = 502

    def __init__(
        self,
        message: str,
        *,
        reason: ProviderReason = "unclassified",
        http_status: int | None = None,
        retry_after: float | None = None,
        thinking_refused: bool = False,
        image_refused: bool = False,
        observed_tokens: int | None = None,
    ) -> None:
        super().__init__(message)
        self.reason: ProviderReason = reason
        self.http_status = http_status
        self.retry_after = retry_after
        self.thinking_refused = thinking_refused
        self.image_refused = image_refused
        self.observed_tokens = observed_tokens

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later without anybody changing anything."""
        return self.reason in RETRYABLE
