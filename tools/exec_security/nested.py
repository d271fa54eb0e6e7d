"""find and xargs: programs named in their arguments, fed with names that are not known here."""

from __future__ import annotations

from dataclasses import dataclass

from tools.exec_security.name_set import name_set
from tools.exec_security.words import Word

Words = tuple[Word, ...]
_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_WRITES = frozenset({"-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"})
_XARGS_FLAGS = name_set("-0 --null -r --no-run-if-empty -t --verbose -x --exit")
_XARGS_VALUED = ("-n", "-P", "-L", "-s", "-d", "-E")
_XARGS_LONG = ("--max-args=", "--max-procs=", "--max-lines=", "--delimiter=", "--max-chars=")


@dataclass(frozen=True, slots=True)
class Inner:
    """The programs that are started, each with its known words; or why that is not clear.

    `outer` are the words of find without what it runs. `mark` is replaced by names.
    """

    commands: tuple[Words, ...] = ()
    outer: Words = ()
    problem: str = ""
    mark: str = "{}"


def find_inner(words: Words) -> Inner:
    """What `find` runs, `words` being those behind its name."""
    commands: list[Words] = []
    outer: list[Word] = []
    at = 0
    while at < len(words):
        word = words[at]
        if not word.literal and word.may_be_option:
            return Inner(problem=f"{word.raw} may turn into an action of find")
        if word.text in _WRITES:
            return Inner(problem=f"find {word.text}")
        if word.text in _RUNS:
            end = at + 1
            while end < len(words) and words[end].text not in (";", "+"):
                end += 1
            if end >= len(words) or end == at + 1:
                return Inner(problem=f"find {word.text} without an end")
            commands.append(words[at + 1 : end])
            at = end
        else:
            outer.append(word)
        at += 1
    return Inner(tuple(commands), tuple(outer))


def xargs_inner(words: Words) -> Inner:
    """What `xargs` runs, `words` being those behind its name."""
    at, mark = 0, ""
    while at < len(words) and words[at].text.startswith("-"):
        text = words[at].text
        if not words[at].literal:
            return Inner(problem="the options of xargs are not clear")
        if text == "--":
            at += 1
            break
        if text in _XARGS_FLAGS or text.startswith(_XARGS_LONG):
            at += 1
        elif text in _XARGS_VALUED:
            at += 2
        elif text == "-I":
            mark = words[at + 1].text if at + 1 < len(words) else ""
            at += 2
        elif text.startswith(_XARGS_VALUED):
            at += 1
        elif text.startswith("-I"):
            mark = text[2:]
            at += 1
        else:
            return Inner(problem=f"xargs {text}")
    if at >= len(words):
        return Inner(mark=mark)
    return Inner((words[at:],), mark=mark)
