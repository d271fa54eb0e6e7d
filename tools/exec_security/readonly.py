"""Commands that only look, in the workspace or at nothing: they run without an allowance.

Each has the options that are known to only look; with any other it is an ordinary command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tools.exec_security.name_set import name_set
from tools.exec_security.place import Place
from tools.exec_security.words import Word

Words = tuple[Word, ...]
# paths: words beside options are paths; texts: they touch nothing; pattern: the first is no path.
Beside = Literal["paths", "texts", "pattern", "none", "plus"]


@dataclass(frozen=True, slots=True)
class Look:
    """`letters` may be clustered, `names` are long options, with or without a value after =.

    `valued` take the next word, or the rest of their own. `own`: shells have it themselves.
    """

    beside: Beside
    letters: str = ""
    names: tuple[str, ...] = ()
    valued: str = ""
    own: bool = False
    numbers: bool = False


_LISTING = ("all", "almost-all", "color", "human-readable", "reverse", "recursive", "classify",
            "group-directories-first", "si", "size", "sort", "time", "full-time", "time-style",
            "inode", "directory", "numeric-uid-gid", "no-group")  # fmt: skip
_MATCHING = ("color", "colour", "ignore-case", "line-number", "count", "files-with-matches",
             "files-without-match", "invert-match", "word-regexp", "line-regexp", "recursive",
             "include", "exclude", "exclude-dir", "only-matching", "no-filename", "with-filename",
             "fixed-strings", "extended-regexp", "quiet", "silent", "context", "max-count",
             "after-context", "before-context", "no-messages")  # fmt: skip

LOOKS: Mapping[str, Look] = {
    "ls": Look("paths", "aAlhrtS1FdRinpsoGgkmUXvCxBN", _LISTING),
    "cat": Look("paths", "nbsAvETetu", ("number", "show-all", "squeeze-blank")),
    "head": Look("paths", "qvz", ("lines", "bytes", "quiet", "verbose"), "nc", numbers=True),
    "tail": Look("paths", "qvz", ("lines", "bytes", "quiet", "verbose"), "nc", numbers=True),
    "wc": Look("paths", "lwcmL", ("lines", "words", "bytes", "chars", "max-line-length")),
    "grep": Look("pattern", "inrclLvwxohHqsEFGaZ", _MATCHING, "mABC", numbers=True),
    "stat": Look("paths", "t", ("terse", "format", "printf"), "c"),
    "file": Look("paths", "bi", ("brief", "mime-type", "mime", "mime-encoding")),
    "du": Look("paths", "shakcmbx", ("summarize", "human-readable", "all", "total", "max-depth",
                                     "apparent-size"), "d"),
    "diff": Look("paths", "uNqbBwiyas", ("unified", "brief", "side-by-side", "color", "width",
                                         "ignore-all-space", "ignore-case"), "UW"),
    "cmp": Look("paths", "sbl"),
    "md5sum": Look("paths", "b"),
    "sha1sum": Look("paths", "b"),
    "sha256sum": Look("paths", "b"),
    "realpath": Look("paths", "em"),
    "nl": Look("paths", "", (), "bnw"),
    "sort": Look("paths", "bdfghMnRrVsuz", ("numeric-sort", "reverse", "unique", "key",
                                             "field-separator", "human-numeric-sort"), "kt"),
    "cut": Look("paths", "sz", ("delimiter", "fields", "characters", "bytes",
                                "output-delimiter"), "dfcb"),
    "uniq": Look("none", "cdiuDz", ("count", "repeated", "unique", "ignore-case"), "fsw"),
    "tr": Look("texts", "cCdst", ("complement", "delete", "squeeze-repeats")),
    "pwd": Look("none", "LP", own=True),
    "echo": Look("texts", "neE", own=True),
    "true": Look("texts", own=True),
    "false": Look("texts", own=True),
    ":": Look("texts", own=True),
    "sleep": Look("texts"),
    "seq": Look("texts", "w", ("equal-width", "separator", "format"), "sf", numbers=True),
    "basename": Look("texts", "az", ("suffix", "multiple"), "s"),
    "dirname": Look("texts", "z"),
    "date": Look("plus", "uRI", ("utc", "iso-8601", "rfc-3339", "rfc-email")),
    "which": Look("texts", "a"),
}  # fmt: skip
_NAMES_ONLY = frozenset({"ls", "find", "du", "stat", "realpath"})
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_FIND_ALONE = name_set(
    """
    -print -print0 -empty -not ! -o -or -a -and -prune -true -false -xdev -mount -depth
    """
)
_FIND_VALUED = name_set(
    """
    -name -iname -path -ipath -type -maxdepth -mindepth -size -mtime -mmin -ctime -atime -perm
    -regex -iregex -links -user -group
    """
)


def looks_only(name: str, words: Words, place: Place) -> bool:
    """Whether `name` with these arguments reads nothing but the workspace and changes nothing.

    Every word must be literal, and every path must stay in the workspace with its links followed.
    """
    if not all(word.literal for word in words):
        return False
    texts = [word.text for word in words]
    if name == "find":
        return _find_looks(texts, place)
    look = LOOKS.get(name)
    if look is None:
        return False
    beside = _beside(texts, look)
    if beside is None:
        return False
    if look.beside == "none":
        return not beside
    if look.beside == "plus":
        return all(text.startswith("+") for text in beside)
    if look.beside == "texts":
        return True
    paths = beside if look.beside == "paths" else beside[1:]
    if name == "diff" and any(place.is_folder(path) for path in paths):
        # It follows the links that it finds in folders.
        return False
    return place.in_workspace and all(place.holds_relative(path) for path in paths)


def reads_files(name: str, words: Words) -> bool:
    """Whether a command that only looks reads what stands in files, and not only their names."""
    if name in _NAMES_ONLY:
        return False
    look = LOOKS.get(name)
    if look is None:
        return True
    beside = _beside([word.text for word in words], look) or []
    return look.beside in ("paths", "pattern") and len(beside) > (look.beside == "pattern")


def is_own(name: str) -> bool:
    """Whether shells run `name` themselves, whatever is on the PATH."""
    look = LOOKS.get(name)
    return look is not None and look.own


def _beside(texts: list[str], look: Look) -> list[str] | None:
    """The words beside options; None when there is an option that is not known."""
    if look.own and look.beside == "texts":
        return texts
    beside: list[str] = []
    rest = iter(texts)
    for text in rest:
        if text == "--":
            return [*beside, *rest]
        if not text.startswith("-") or text == "-":
            beside.append(text)
        elif not _option_known(text, look, rest):
            return None
    return beside


def _option_known(text: str, look: Look, rest: Iterator[str]) -> bool:
    if text.startswith("--"):
        return text[2:].partition("=")[0] in look.names
    if look.numbers and _NUMBER.fullmatch(text):
        return True
    for index, letter in enumerate(text[1:], start=1):
        if letter in look.valued:
            if index == len(text) - 1:
                next(rest, None)
            return True
        if letter not in look.letters:
            return False
    return True


def _find_looks(texts: list[str], place: Place) -> bool:
    at = 0
    while at < len(texts) and not texts[at].startswith("-") and texts[at] != "!":
        if not place.holds_relative(texts[at]):
            return False
        at += 1
    while at < len(texts):
        if texts[at] in _FIND_ALONE:
            at += 1
        elif texts[at] in _FIND_VALUED:
            at += 2
        else:
            return False
    return place.in_workspace
