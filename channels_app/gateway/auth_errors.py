"""The answers to a connect that is refused (gateway.md 1.4)."""

from __future__ import annotations

from typing import Any

from channels_app.gateway.device_proof import ProofInvalid
from channels_app.gateway.errors import INVALID_REQUEST, NOT_PAIRED, GatewayError

# code → (reason, text, what the client should do next)
_FAILURES: dict[str, tuple[str, str, str]] = {
    "AUTH_TOKEN_MISMATCH": (
        "token_mismatch",
        "unauthorized: gateway token mismatch (provide gateway auth token)",
        "update_auth_credentials",
    ),
    "AUTH_TOKEN_MISSING": (
        "token_missing",
        "unauthorized: gateway token missing (provide gateway auth token, or sign in first)",
        "update_auth_configuration",
    ),
    "AUTH_PASSWORD_NOT_CONFIGURED": (
        "password_not_configured",
        "unauthorized: gateway password not configured (provide gateway auth token)",
        "update_auth_configuration",
    ),
    "AUTH_BOOTSTRAP_TOKEN_INVALID": (
        "bootstrap_token_invalid",
        "unauthorized: bootstrap token invalid (provide gateway auth token)",
        "review_auth_configuration",
    ),
    "AUTH_DEVICE_TOKEN_MISMATCH": (
        "device_token_mismatch",
        "unauthorized: device token mismatch (pair the device again)",
        "update_auth_credentials",
    ),
    "AUTH_RATE_LIMITED": (
        "rate_limited",
        "unauthorized: too many failed authentication attempts (retry later)",
        "wait_then_retry",
    ),
}


def auth_failed(code: str) -> GatewayError:
    """A secret is missing or wrong. The text never says how close it was."""
    if code == "DEVICE_IDENTITY_REQUIRED":
        return GatewayError(NOT_PAIRED, "device identity required", details={"code": code})
    reason, text, next_step = _FAILURES[code]
    details: dict[str, Any] = {
        "code": code,
        "authReason": reason,
        "canRetryWithDeviceToken": False,
        "recommendedNextStep": next_step,
    }
    return GatewayError(INVALID_REQUEST, text, details=details)


def proof_failed(error: ProofInvalid) -> GatewayError:
    """The device's signature does not hold."""
    return GatewayError(
        INVALID_REQUEST, error.message, details={"code": error.code, "reason": error.reason}
    )


def not_paired(request_id: str, reason: str) -> GatewayError:
    """The device waits for somebody to approve it in the admin."""
    return GatewayError(
        NOT_PAIRED,
        "pairing required",
        details={"code": "PAIRING_REQUIRED", "requestId": request_id, "reason": reason},
    )
