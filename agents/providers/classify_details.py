"""What the text of a failure says beyond its reason. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.providers.classify_tables import IMAGE_REFUSED

# Statuses of a refused request; an error inside a stream has none.
_REFUSED = (None, 400, 413, 422)
# Anthropic and Bedrock name the block or its signature, Gemini the thought signature, OpenAI the
# encrypted content or the reasoning item.
_THINKING = re.compile(
    r"\bsignatures?\b|thought_?signature|redacted_thinking|`?thinking`? .{0,40}\bblocks?\b"
    r"|expected `thinking`|invalid_encrypted_content|encrypted content"
    r"|of type 'reasoning'|\brs_\w+",
    re.DOTALL,
)
# Signatures of requests, and settings of thinking, are no part of the history.
_OTHER_THINKING = re.compile(r"request signature|budget_tokens|signature we calculated")
# "210000 tokens > 200000 maximum", "resulted in 9000 tokens", "token count (1200000) exceeds",
# "you requested 9000 tokens", "request (9000 tokens) exceeds".
_TOKENS = re.compile(
    r"([\d,]+) tokens? ?>|(?:resulted in|you requested|requested about|your messages need|contains"
    r"|prompt has|request \(|prompt \()\D{0,20}([\d,]+)|token count \(?([\d,]+)\)? exceeds"
)
_RETRY_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")


def thinking_refused(status: int | None, message: str) -> bool:
    """Whether a request was refused for the reasoning of earlier answers, or its signatures."""
    text = message.lower()
    if status not in _REFUSED or _OTHER_THINKING.search(text):
        return False
    return _THINKING.search(text) is not None


def image_refused(status: int | None, message: str) -> bool:
    """Whether a request was refused for the size or the format of an image in it."""
    return status in _REFUSED and IMAGE_REFUSED.search(message.lower()) is not None


def tokens_observed(message: str) -> int | None:
    """How many tokens the request had, as an overflow error states it; None when it does not."""
    found = _TOKENS.search(message.lower())
    if found is None:
        return None
    return int(next(filter(None, found.groups())).replace(",", "") or 0) or None


def retry_delay(body: Any) -> float | None:
    """Seconds to wait as the body of a Google error says (RetryInfo); None when it does not.

    Google sends no retry-after header.
    """
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error") if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    for detail in details if isinstance(details, list) else ():
        value = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(value, str) and (found := _RETRY_DELAY.fullmatch(value)):
            return float(found.group(1))
    return None
