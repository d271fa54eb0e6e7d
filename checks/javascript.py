"""Finds the functions of a JavaScript file and counts their lines.

Not a parser: comments, strings and regular expressions are blanked out, then braces are paired,
and a brace opens a function when what stands before it looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Comment, template literal, string, or a regular expression where a value may begin.
_OPAQUE = re.compile(
    r"//[^\n]*|/\*.*?\*/|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\""
    r"|(?<=[=(,:;!&|?{}\n\[])[ \t]*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*",
    re.DOTALL,
)
_HEADS = re.compile(
    r"(?:\bfunction\b\s*\*?\s*(?P<named>[\w$]*)\s*\([^{}]*\)"
    r"|(?P<arrow>[\w$]*)\s*[=:]?\s*(?:async\s*)?(?:\([^(){}]*\)|[\w$]+)\s*=>"
    r"|(?P<method>[\w$#]+)\s*\([^{}]*\))\s*\Z"
)
_NOT_METHODS = frozenset({"if", "for", "while", "switch", "catch", "with", "return"})
_HEAD_SPAN = 300


def functions_of(text: str) -> Iterator[tuple[int, str, int]]:
    """(first line, name or "(anonymous)", lines) of each function with a body in braces."""
    plain = _OPAQUE.sub(_blank, text)
    opened: list[tuple[int, str | None]] = []
    for match in re.finditer(r"[{}]", plain):
        if match.group() == "{":
            opened.append((match.start(), _name_before(plain, match.start())))
        elif opened:
            start, name = opened.pop()
            if name is not None:
                first = plain.count("\n", 0, start) + 1
                yield first, name, plain.count("\n", start, match.start()) + 1


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _name_before(plain: str, position: int) -> str | None:
    head = _HEADS.search(plain[max(0, position - _HEAD_SPAN) : position])
    if head is None or head["method"] in _NOT_METHODS:
        return None
    return head["named"] or head["arrow"] or head["method"] or "(anonymous)"
