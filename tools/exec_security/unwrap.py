"""From a simple command to the programs that would run, through whatever only starts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tools.exec_security.git import git_risk
from tools.exec_security.nested import Inner, find_inner, xargs_inner
from tools.exec_security.options import RISKY, risky_option
from tools.exec_security.programs import has_inline_code, sed_is_plain
from tools.exec_security.syntax import SimpleCommand, command_parse
from tools.exec_security.tables import kind_of, plain_name
from tools.exec_security.targets import Target, forbidden, opaque
from tools.exec_security.words import Word, literal_word
from tools.exec_security.wrappers import WRAPPERS, wrapped

Words = tuple[Word, ...]
# Shells in shells; more is hiding.
MOST_SHELLS = 3
MOST_WRAPPERS = 8
# The options of a shell that leave `-c` meaning what it means.
_SHELL_LETTERS = frozenset("celux")


class Unwrapper:
    """Looks through one command line. `strict`: languages with inline code are never kept."""

    def __init__(self, *, strict: bool = True) -> None:
        self._strict = strict

    def targets(self, commands: Sequence[SimpleCommand]) -> list[Target]:
        """What runs, in the order of the line."""
        return [target for command in commands for target in self._one(command.words, 0, 0)]

    def _one(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        head = words[0]
        if not head.literal or not head.text:
            yield opaque(words, f"the name of the program is not plain: {head.raw}")
            return
        name = plain_name(head.text)
        if wrappers > MOST_WRAPPERS:
            yield opaque(words, "too many programs start each other")
        elif name in WRAPPERS:
            yield from self._wrapped(name, words, shells, wrappers)
        else:
            handler = _HANDLERS.get(kind_of(head.text), Unwrapper._ordinary)
            yield from handler(self, words, shells, wrappers)

    def _wrapped(self, name: str, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        inner = wrapped(name, words[1:])
        if inner is None:
            if name == "command" and _only_asks(words[1:]):
                yield Target(words, lasting=False)
            else:
                yield opaque(words, f"the options or variables of {name} are not plain")
        elif inner:
            builtin = name in _BUILTIN_WRAPPERS and words[0].text == name and not wrappers
            if not builtin:
                yield Target(words[:1], wrapper=True, external=bool(wrappers))
            for target in self._one(inner, shells, wrappers + 1):
                yield target if builtin and name != "exec" else replace(target, external=True)
        else:
            yield opaque(words, f"{name} starts no program")

    def _shell(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        shell = words[0].text
        script = _inline_script(words[1:])
        if script is None:
            yield opaque(words, f"{shell} runs a script or its input")
        elif not script.literal:
            yield opaque(words, f"what {shell} runs is put together when it runs")
        elif shells >= MOST_SHELLS:
            yield opaque(words, "too many shells run each other")
        else:
            parsed = command_parse(script.text)
            if parsed.problem:
                yield opaque(words, f"what {shell} runs cannot be read: {parsed.problem}")
            yield Target(words[:1], wrapper=True, external=bool(wrappers))
            for command in parsed.commands:
                yield from self._one(command.words, shells + 1, wrappers)

    def _find(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        name = plain_name(words[0].text)
        inner = find_inner(words[1:]) if name == "find" else xargs_inner(words[1:])
        if inner.problem:
            yield opaque(words, inner.problem)
            return
        if name == "find":
            yield Target((words[0], *inner.outer))
        else:
            # Without a program it is echo that runs.
            yield Target(words[:1], wrapper=True, external=bool(wrappers))
        for command in inner.commands:
            if inner.mark and _shell_text_with(inner.mark, command):
                yield opaque(command, "names are put into what a shell runs")
                continue
            for target in self._one(command, shells, wrappers + 1):
                yield self._fed(target, inner)

    def _fed(self, target: Target, inner: Inner) -> Target:
        name = target.words[0].text
        if inner.mark and inner.mark in name:
            return opaque(target.words, "the program is named by its input")
        if target.problem or target.wrapper:
            return replace(target, external=True)
        if kind_of(name) or plain_name(name) in RISKY or plain_name(name) == "git":
            return opaque(target.words, f"{name} gets arguments that are not known here")
        words = tuple(_unknown(word, inner.mark) for word in target.words)
        return replace(target, words=words, open=True, external=True)

    def _ordinary(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        risk = _risk(words)
        yield opaque(words, risk) if risk else Target(words)

    def _privilege(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        yield forbidden(words, f"{words[0].text} changes whose rights a command has")

    def _carrier(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        yield opaque(words, f"{words[0].text} runs other programs")

    def _editor(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        yield opaque(words, f"{words[0].text} can start other programs")

    def _interpreter(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        name = words[0].text
        if not has_inline_code(name, words[1:]):
            yield Target(words, lasting=False)
        elif self._strict:
            yield forbidden(words, f"{name} runs code from the command line or its input")
        else:
            yield Target(words, lasting=False)

    def _sed(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        if sed_is_plain(words[1:]):
            yield Target(words, lasting=False)
        else:
            yield opaque(words, "sed may write files or run programs")

    def _applets(self, words: Words, shells: int, wrappers: int) -> Iterator[Target]:
        if len(words) < 2 or not words[1].literal or kind_of(words[1].text) != "shell":
            yield opaque(words, f"{words[0].text} is many programs in one")
            return
        yield Target(words[:1], wrapper=True, external=True)
        yield from self._shell(words[1:], shells, wrappers + 1)


Handler = Callable[[Unwrapper, Words, int, int], Iterator[Target]]
_HANDLERS: Mapping[str, Handler] = {
    "shell": Unwrapper._shell,
    "privilege": Unwrapper._privilege,
    "carrier": Unwrapper._carrier,
    "editor": Unwrapper._editor,
    "interpreter": Unwrapper._interpreter,
    "find": Unwrapper._find,
    "sed": Unwrapper._sed,
    "applets": Unwrapper._applets,
}
_BUILTIN_WRAPPERS = frozenset({"command", "exec", "time"})


def _only_asks(words: Words) -> bool:
    return len(words) == 2 and words[0].text in ("-v", "-V") and all(word.literal for word in words)


def _shell_text_with(mark: str, words: Words) -> bool:
    has_shell = any(kind_of(word.text) in ("shell", "applets") for word in words)
    return has_shell and any(mark in word.text for word in words)


def _risk(words: Words) -> str:
    name = plain_name(words[0].text)
    return git_risk(words[1:]) if name == "git" else risky_option(name, words[1:])


def _inline_script(words: Words) -> Word | None:
    """The program text behind -c; None when there is none or other options stand with it."""
    for index, word in enumerate(words):
        letters = word.text[1:]
        if not word.literal or not word.text.startswith("-") or not letters:
            return None
        if not set(letters) <= _SHELL_LETTERS:
            return None
        if "c" in letters:
            return words[index + 1] if index + 1 < len(words) else None
    return None


def _unknown(word: Word, mark: str) -> Word:
    """The word with the place where names are put in marked as unknown."""
    if mark and mark in word.text and word.literal:
        return Word(word.text, literal_word(word.text).raw, literal=False, splits=False)
    return word
