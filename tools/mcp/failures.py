"""Why a server cannot be used."""

from __future__ import annotations

from agents.core.untrusted import one_line


class McpUnavailableError(Exception):
    """A server cannot be used now; the text says why, in half a sentence."""


def reason_of(error: BaseException) -> str:
    """What went wrong, in half a sentence without line breaks and without secrets' neighbours."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, McpUnavailableError):
        return str(error)
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    text = one_line(str(error), 300)
    kind = type(error).__name__
    return text if kind == "MCPError" else f"{kind}: {text}" if text else kind
