"""Ids of tool calls, made fit for the service that reads them back.

An id that the service accepts is never changed: signatures and prompt caches depend on it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_OTHER = re.compile(r"[^a-zA-Z0-9]")
_EMPTY = "call"


@dataclass(frozen=True, slots=True)
class CallIdRule:
    """Which ids pass as they are, and how long a cleaned one (letters and digits) may be."""

    accepted: re.Pattern[str]
    max_length: int = 40
    exact_length: int | None = None


# Anthropic's documented pattern.
ANTHROPIC_IDS = CallIdRule(re.compile(r"[a-zA-Z0-9_-]{1,64}"))
# OpenAI's limit is 40 characters; "functions.name:0" is what Kimi models expect to see again.
OPENAI_IDS = CallIdRule(re.compile(r"[a-zA-Z0-9_-]{1,40}|functions\.[\w-]{1,64}:\d+"))
# Gemini documents no limit; the reference's strict form with Anthropic's length.
GOOGLE_IDS = CallIdRule(re.compile(r"[a-zA-Z0-9_-]{1,64}"))
# The Responses API takes up to 64 characters. A call of ours holds two ids, `call_id|item_id`,
# which its client takes apart.
RESPONSES_IDS = CallIdRule(re.compile(r"[a-zA-Z0-9_-]{1,64}(?:\|[a-zA-Z0-9_-]{0,64})?"), 64)
# Mistral accepts nothing but nine letters and digits.
MISTRAL_IDS = CallIdRule(re.compile(r"[a-zA-Z0-9]{9}"), max_length=9, exact_length=9)


class CallIds:
    """Gives each call of one request its id; an id that was seen before gets another."""

    def __init__(self, rule: CallIdRule) -> None:
        self._rule = rule
        self._used: set[str] = set()

    def take(self, original: str) -> str:
        """The id to send for the next call that carries `original`. The same history, same ids."""
        candidate = original if self._rule.accepted.fullmatch(original) else self._cleaned(original)
        attempt = 0
        while candidate in self._used:
            attempt += 1
            candidate = self._suffixed(original, attempt)
        self._used.add(candidate)
        return candidate

    def _cleaned(self, original: str) -> str:
        cleaned = _OTHER.sub("", original)[: self._rule.max_length] or _EMPTY
        if self._rule.exact_length is not None and len(cleaned) != self._rule.exact_length:
            return _digest(original)[: self._rule.exact_length]
        return cleaned

    def _suffixed(self, original: str, attempt: int) -> str:
        digest = _digest(f"{original}#{attempt}")
        if self._rule.exact_length is not None:
            return digest[: self._rule.exact_length]
        return _OTHER.sub("", original)[: self._rule.max_length - 8] + digest[:8]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
