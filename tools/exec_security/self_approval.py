"""Commands with which an agent would answer for the person who is asked."""

from __future__ import annotations

import re
import unicodedata

_QUOTES = re.compile(r"[\"'`\\]|\$(?=[\"'])")
_PROGRAM = r"(?:manage\.py|openclaw(?:\.mjs|\.js)?)"
_OPTIONS = r"(?:\s+-\S+)*\s+"
_APPROVES = re.compile(
    r"(?:^|[\s;|&(={,])/approve(?:$|[\s:;|&)}@])"
    rf"|\b{_PROGRAM}{_OPTIONS}approvals{_OPTIONS}(?!list\b|show\b|get\b)\w"
    rf"|\b{_PROGRAM}{_OPTIONS}allowances{_OPTIONS}(?!list\b)\w",
    re.IGNORECASE,
)
_SIGNS_IN = re.compile(
    rf"\b{_PROGRAM}{_OPTIONS}(?:channels?{_OPTIONS}(?:login|add)|signin_link)\b", re.IGNORECASE
)


def self_approval(command: str) -> str:
    """Why the command is refused whatever is configured; "" when it is not.

    Looked for in the text without its quotes, wherever it stands: what hides it better is asked
    about anyway, unless everything may run.
    """
    plain = _QUOTES.sub("", unicodedata.normalize("NFKC", command))
    if _APPROVES.search(plain):
        return "it would answer in place of the person who is asked"
    if _SIGNS_IN.search(plain):
        return "signing in needs a person at a terminal"
    return ""
