"""Languages, and editors of streams: whether the program text stands on the command line."""

from __future__ import annotations

import re

from tools.exec_security.name_set import name_set
from tools.exec_security.tables import plain_name
from tools.exec_security.words import Word

Words = tuple[Word, ...]
_PYTHON = frozenset({"python", "pypy"})
_PYTHON_FLAGS = name_set("-u -B -E -I -s -S -O -OO -q -b -bb -P")
# Modules that take a program as an argument, or read one from the input.
_PYTHON_MODULES = frozenset({"timeit", "code", "pdb", "cProfile", "profile", "trace", "runpy",
                             "asyncio", "idlelib", "this"})  # fmt: skip
_SCRIPTED = name_set(
    """
    python pypy node nodejs perl ruby php lua luajit tclsh Rscript osascript
    """
)
# With these alone they only say what they are.
_ASKING = frozenset({"-V", "--version", "--help"})
_ANSWERING = frozenset({"python", "pypy", "node", "nodejs", "perl", "ruby", "php"})
# Addresses with p, d or q, or one replacement without escapes: no w, e or r can hide in it.
_SED_SCRIPT = re.compile(
    r"(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq]"
    r"|s(?P<mark>[/|,#])(?:(?!(?P=mark))[^\\\n])*(?P=mark)(?:(?!(?P=mark))[^\\\n])*(?P=mark)[gIip\d]*"
)
_SED_FLAGS = name_set("-n -E -r -s -u --quiet --silent --regexp-extended")


def has_inline_code(name: str, words: Words) -> bool:
    """Whether the language `name` gets its program from its arguments or its input.

    Options that are not known to be harmless count as such.
    """
    language = plain_name(name)
    if language not in _SCRIPTED:
        return True
    if len(words) == 1 and words[0].literal and words[0].text in _ASKING:
        return language not in _ANSWERING
    at = 0
    while at < len(words) and language in _PYTHON and words[at].text in _PYTHON_FLAGS:
        at += 1
    if at >= len(words):
        return True
    word = words[at]
    if language in _PYTHON and word.text == "-m" and at + 1 < len(words):
        module = words[at + 1]
        return not module.literal or module.text.split(".")[0] in _PYTHON_MODULES
    return (
        not word.literal or word.text.startswith("-") or word.text.startswith(("/dev/", "/proc/"))
    )


def sed_is_plain(words: Words) -> bool:
    """Whether sed only prints, deletes and replaces, and writes no file."""
    scripts = 0
    for word in words:
        if word.text in _SED_FLAGS and word.literal:
            continue
        if not word.literal and word.may_be_option:
            return False
        if word.text.startswith("-"):
            return False
        if not scripts:
            scripts += 1
            if not word.literal or not _SED_SCRIPT.fullmatch(word.text):
                return False
    return scripts == 1
