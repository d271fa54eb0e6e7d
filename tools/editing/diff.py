"""What an edit changed, for people."""

from __future__ import annotations

import re
from difflib import unified_diff
from itertools import takewhile

# Comparing costs grow with the square of the changed region; beyond this it is left out.
_MOST_LINES = 5_000
_MOST_CHARACTERS = 50_000
_CONTEXT = 3


def first_changed_line(before: str, after: str) -> int:
    """The number of the first line, from 1, that differs."""
    pairs = zip(before.split("\n"), after.split("\n"), strict=False)
    return 1 + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def diff_of(before: str, after: str, path: str) -> str:
    """A unified diff, cut at 50,000 characters; a note in place of a very large one."""
    before, after = before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
    old, new = before.split("\n"), after.split("\n")
    same = first_changed_line(before, after) - 1
    skipped = max(0, same - _CONTEXT)
    ending = min(_common_end(old, new), len(old) - same, len(new) - same)
    kept = max(0, ending - _CONTEXT)
    old, new = old[skipped : len(old) - kept], new[skipped : len(new) - kept]
    if len(old) + len(new) > _MOST_LINES:
        return f"({len(old)} lines became {len(new)}, from line {same + 1}; too many to compare)"
    lines = unified_diff(old, new, f"a/{path}", f"b/{path}", n=_CONTEXT, lineterm="")
    text = "\n".join(_moved(line, skipped) for line in lines)
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "\n(cut)"


def _moved(line: str, by: int) -> str:
    """A hunk's headline with its line numbers raised by `by`; other lines as they are."""
    if not line.startswith("@@"):
        return line
    return re.sub(r"([-+])(\d+)", lambda found: f"{found[1]}{int(found[2]) + by}", line)


def _common_end(old: list[str], new: list[str]) -> int:
    pairs = zip(reversed(old), reversed(new), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
