"""From a command line to its simple commands, or to the reason why it is not read.

A reader for what is plain: words, quotes, variables, && || ; | and line ends. Everything else a
shell knows is refused, because a person can judge it and this code would have to guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tools.exec_security.characters import strange_character
from tools.exec_security.name_set import name_set
from tools.exec_security.words import BREAKS, UnparsedError, Word, WordReader

# Longer ones are programs.
MOST_CHARACTERS = 10_000
MOST_COMMANDS = 100
_RESERVED = name_set(
    """
    if then else elif fi for while until do done case esac select function coproc in { } ! [[
    ]] foreach repeat end nocorrect always
    """
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
# Variables before a command that choose no program, file or host.
_HARMLESS_VARIABLES = name_set(
    """
    LANG LANGUAGE TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR COLUMNS LINES CI
    """
)
# Africa/Cairo, America/Indiana/Knox
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){1,2}")
_NULL = "/dev/null"
_COPY = re.compile(r"[0-2]?>&[0-2-](?=[\s;|&]|\Z)")
_FILE = re.compile(r"[0-2]?(?:>>|>|<)[ \t]*")


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """The words of one command, and the operator that joins it to the one before ("" for none)."""

    words: tuple[Word, ...]
    joined: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The simple commands in order; `problem` says why the line is not read, "" when it is."""

    commands: tuple[SimpleCommand, ...] = ()
    problem: str = ""


def command_parse(text: str) -> Parsed:
    """All simple commands that a shell would run for `text`. Never raises.

    Whatever a shell might run beyond them makes a problem instead.
    """
    if why := strange_character(text):
        return Parsed(problem=why)
    if len(text) > MOST_CHARACTERS:
        return Parsed(problem=f"it is longer than {MOST_CHARACTERS} characters")
    try:
        commands = _Reader(text).read()
    except UnparsedError as error:
        return Parsed(problem=str(error))
    if not commands:
        return Parsed(problem="it has no command")
    return Parsed(tuple(commands))


def harmless_variable(name: str, value: str = "") -> bool:
    """Whether a variable of a command changes neither program, file nor host.

    As a path even the language names files, which programs then take their texts from.
    """
    if name not in _HARMLESS_VARIABLES and not name.startswith("LC_"):
        return False
    return value.count("/") == 0 or (name == "TZ" and _ZONE.fullmatch(value) is not None)


def is_assignment(word: Word) -> bool:
    """Whether a shell, or env, takes the word for NAME=value."""
    return _ASSIGNMENT.match(word.raw) is not None


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    words: list[Word] = field(default_factory=list)
    commands: list[SimpleCommand] = field(default_factory=list)
    joined: str = ""

    def read(self) -> list[SimpleCommand]:
        while self.at < len(self.text):
            self._step(self.text[self.at])
        self._close("")
        if self.joined not in ("", ";"):
            raise UnparsedError(f"nothing stands behind {self.joined}")
        return self.commands

    def _step(self, character: str) -> None:
        if character in " \t":
            self.at += 1
        elif self.text.startswith("\\\n", self.at):
            self.at += 2
        elif character == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif character in "\n;|&":
            self._operator(character)
        elif character in "()":
            raise UnparsedError("it has parentheses")
        elif not self._redirected():
            self._word()

    def _operator(self, character: str) -> None:
        pair = self.text[self.at : self.at + 2]
        if character == "\n":
            self.at += 1
            if self.words:
                self._close(";")
            return
        if pair in ("&&", "||"):
            operator = pair
        elif pair in ("|&", ";;", ";&", ";|", "&>"):
            raise UnparsedError(f"it has {pair}")
        elif character == "&":
            raise UnparsedError("it puts a command in the background with &")
        else:
            operator = character
        self.at += len(operator)
        if not self.words:
            raise UnparsedError(f"nothing stands before {operator}")
        self._close(operator)

    def _redirected(self) -> bool:
        """Takes a redirection that touches no file. Raises UnparsedError for any other."""
        if match := _COPY.match(self.text, self.at):
            self.at = match.end()
            return True
        match = _FILE.match(self.text, self.at)
        if match is None:
            if self.text[self.at] in "<>":
                raise UnparsedError("it has a redirection")
            return False
        following = self.text[match.end() : match.end() + len(_NULL) + 1]
        if following[: len(_NULL)] != _NULL or following[len(_NULL) :] not in ("", *BREAKS):
            raise UnparsedError("it has a redirection from or to a file")
        self.at = match.end() + len(_NULL)
        return True

    def _word(self) -> None:
        word, self.at = WordReader(self.text, self.at).read()
        behind = self.text[self.at : self.at + 1]
        if behind in ("<", ">") and word.raw.isdigit():
            raise UnparsedError("it has a redirection")
        if not self.words and word.raw in _RESERVED:
            raise UnparsedError(f"it has the shell's word {word.raw}")
        self.words.append(word)

    def _close(self, operator: str) -> None:
        if self.words:
            words = _without_variables(self.words)
            self.commands.append(SimpleCommand(tuple(words), self.joined))
            if len(self.commands) > MOST_COMMANDS:
                raise UnparsedError(f"it has more than {MOST_COMMANDS} commands")
            self.joined = operator
        self.words = []


def _without_variables(words: list[Word]) -> list[Word]:
    for index, word in enumerate(words):
        if not is_assignment(word):
            if index and word.raw in _RESERVED:
                raise UnparsedError(f"it has the shell's word {word.raw}")
            return words[index:]
        name = word.raw.partition("=")[0].rstrip("+")
        value = word.text.partition("=")[2]
        if not harmless_variable(name, value) or not word.literal:
            raise UnparsedError(f"it sets the variable {name}")
    raise UnparsedError("it sets variables for the commands behind it")
