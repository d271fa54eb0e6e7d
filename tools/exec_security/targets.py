"""What a command comes down to: the programs that would really run, and what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tools.exec_security.words import Word

# kept: an allowance for exactly this command may hold. never: a person decides each time.
Weight = Literal["", "kept", "never"]


@dataclass(frozen=True, slots=True)
class Target:
    """A program with its arguments. `open`: it gets more arguments, which are not known here.

    `wrapper`: it only starts the next one and needs no allowance, but must be the system's own.
    `external`: no shell's own command is meant. `problem` says why only a person can allow it,
    whatever is on the list, "" for nothing; `weight` then says whether the answer may be kept.
    `lasting`: its path may be put on the list.
    """

    words: tuple[Word, ...]
    open: bool = False
    problem: str = ""
    weight: Weight = ""
    lasting: bool = True
    wrapper: bool = False
    external: bool = False

    @property
    def name(self) -> str:
        """The program as it was written."""
        return self.words[0].text if self.words else ""


def opaque(words: tuple[Word, ...], problem: str) -> Target:
    """A target that only an allowance for exactly the whole command can pass."""
    return Target(words, problem=problem, weight="kept", lasting=False)


def forbidden(words: tuple[Word, ...], problem: str) -> Target:
    """A target about which a person is asked each time."""
    return Target(words, problem=problem, weight="never", lasting=False)
