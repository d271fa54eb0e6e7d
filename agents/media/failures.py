"""Failures of makers of media, as the same typed errors that model calls end with. Pure."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agents.core.errors import ProviderError
from agents.core.model import ModelInfo
from agents.providers.failures import error_from_exception, provider_error

# What one made file may have, in bytes; videos of a minute stay below it.
MOST_BYTES = 200 * 1024 * 1024


@asynccontextmanager
async def typed_failures(model: ModelInfo) -> AsyncIterator[None]:
    """Whatever is raised inside leaves as a ProviderError that names the model, never the key."""
    try:
        yield
    except Exception as error:
        raise error_from_exception(error, model) from error


def data_decoded(text: Any, model: ModelInfo) -> bytes:
    """The bytes of a base64 text. Raises ProviderError when it is none or empty."""
    try:
        data = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except (binascii.Error, ValueError) as error:
        raise _empty(model) from error
    if not data:
        raise _empty(model)
    return data


def _empty(model: ModelInfo) -> ProviderError:
    return provider_error(model, "the answer holds no file", reason="empty_response")
