"""The list of allowed commands: what an entry means and whether it fits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from tools.exec_security.place import Executable, Place
from tools.exec_security.targets import Target

EXACT = "=command:"
_WILD = re.compile(r"[*?]")
# Hexadecimal digits of the hash of an exact command.
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Allowance:
    """One entry: a glob over the real path, a bare name, or one exact command; `id` is its row."""

    pattern: str
    argument_pattern: str = ""
    id: int = 0


def exact_pattern(command: str) -> str:
    """The entry that allows exactly this command line."""
    digest = sha256(command.encode("utf-8", "surrogatepass")).hexdigest()
    return EXACT + digest[:_DIGITS]


def exact_match(command: str, allowances: Iterable[Allowance]) -> Allowance | None:
    """The entry for exactly this command line, None without one."""
    wanted = exact_pattern(command)
    return next((entry for entry in allowances if entry.pattern == wanted), None)


def allowance_match(
    target: Target, program: Executable, place: Place, allowances: Iterable[Allowance]
) -> Allowance | None:
    """The first entry that allows the program with its arguments, None without one."""
    return next(
        (
            entry
            for entry in allowances
            if _fits(entry.pattern, program, target.name, place) and _arguments_fit(entry, target)
        ),
        None,
    )


def _fits(pattern: str, program: Executable, name: str, place: Place) -> bool:
    if pattern.startswith("="):
        return False
    own = place.holds(program.real) or place.holds(program.found)
    if "/" not in pattern and not pattern.startswith("~"):
        return not own and (pattern in ("*", "**") or (program.by_path and pattern == name))
    whole = _expanded(pattern, str(place.home))
    if not _WILD.search(whole):
        return os.path.realpath(whole) == str(program.real)
    return not own and glob_regex(whole).fullmatch(str(program.real)) is not None


def _expanded(pattern: str, home: str) -> str:
    return home + pattern[1:] if pattern == "~" or pattern.startswith("~/") else pattern


def _arguments_fit(entry: Allowance, target: Target) -> bool:
    if not entry.argument_pattern:
        return True
    arguments = target.words[1:]
    if target.open or not all(word.literal for word in arguments):
        return False
    try:
        wanted = _regex(entry.argument_pattern)
    except re.error:
        return False
    return wanted.fullmatch(" ".join(word.text for word in arguments)) is not None


@lru_cache(maxsize=512)
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@lru_cache(maxsize=512)
def glob_regex(pattern: str) -> re.Pattern[str]:
    """The glob as a regular expression: * inside a segment, ** over segments, ? one character."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    return re.compile("".join(meaning.get(part) or re.escape(part) for part in parts), re.DOTALL)


def pattern_problem(pattern: str, argument_pattern: str = "") -> str:
    """What is wrong with an entry that somebody wants to add; "" when nothing is."""
    text = pattern.strip()
    if not text or text != pattern or "\0" in text or "\n" in text:
        return "must be a path, a name or =command: with a hash, without spaces around it"
    if text.startswith("="):
        if not re.fullmatch(r"=command:[0-9a-f]{16}", text):
            return "must be =command: and 16 hexadecimal digits"
        return "" if not argument_pattern else "an exact command has no arguments beside it"
    if "/" in text and not text.startswith(("/", "~/", "**/")):
        return "must be an absolute path, begin with ~/, or be a bare name"
    try:
        re.compile(argument_pattern)
    except re.error as error:
        return f"arguments: no regular expression: {error}"
    return ""
