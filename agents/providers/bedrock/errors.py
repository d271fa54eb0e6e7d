"""What AWS refuses, as one typed `ProviderError`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.core.errors import ProviderError, ProviderReason
from agents.core.model import ModelInfo
from agents.providers.failures import error_from_body, error_from_exception, provider_error

# Kinds that say more than their status (429 and 424): a model that is still being loaded, and one
# that failed by itself.
_REASONS: dict[str, ProviderReason] = {
    "modelnotreadyexception": "overloaded",
    "modelerrorexception": "timeout",
}
# Classes of botocore (by name, for the library is not imported here) and of the SDK's signer for a
# chain that ends without credentials.
_NO_CREDENTIALS = frozenset(
    {
        "NoCredentialsError",
        "PartialCredentialsError",
        "ProfileNotFound",
        "CredentialRetrievalError",
        "InvalidConfigError",
        "TokenRetrievalError",
        "SSOTokenLoadError",
        "UnauthorizedSSOTokenError",
        "MetadataRetrievalError",
    }
)
_UNRESOLVED = "Could not resolve AWS credentials"


def bedrock_error(error: Exception, model: ModelInfo) -> ProviderError:
    """The error for whatever the SDK or botocore raised."""
    if isinstance(error, ProviderError):
        return error
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _refusal(error, status, model)
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & _NO_CREDENTIALS or str(error).startswith(_UNRESOLVED):
        text = f"no AWS credentials could be found ({error}); set them or sign in to AWS anew"
        return provider_error(model, text, reason="auth")
    return error_from_exception(error, model)


def _refusal(error: Exception, status: int, model: ModelInfo) -> ProviderError:
    """AWS names the kind of a refusal in a header, and its text `message` or `Message`."""
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    kind = headers.get("x-amzn-errortype", "").partition(":")[0].rpartition("#")[2]
    body: Any = getattr(error, "body", None) or getattr(error, "message", "")
    text = body.get("message") or body.get("Message") if isinstance(body, dict) else body
    told = {"error": {"type": kind, "message": text or kind or ""}}
    found = error_from_body(told, model, status=status, headers=headers)
    found.reason = _REASONS.get(kind.lower(), found.reason)
    return found
