"""One command line against the rules: may it run by itself, and if not, why and what would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.exec_security.git import git_disguise
from tools.exec_security.patterns import (
    Allowance,
    allowance_match,
    exact_match,
    exact_pattern,
)
from tools.exec_security.place import Executable, Place, executable_find, is_folder
from tools.exec_security.readonly import LOOKS, is_own, looks_only, reads_files
from tools.exec_security.safe_bins import DEFAULT_BINS, PROFILES, SafeBinProfile, safe_bin_passes
from tools.exec_security.syntax import SimpleCommand, command_parse
from tools.exec_security.tables import BUILTINS, PRIVILEGE, kind_of, plain_name
from tools.exec_security.targets import Target
from tools.exec_security.unwrap import Unwrapper


@dataclass(frozen=True, slots=True)
class ListRules:
    """What decides about a command where a list decides."""

    allowances: tuple[Allowance, ...] = ()
    safe_bins: tuple[str, ...] = DEFAULT_BINS
    profiles: Mapping[str, SafeBinProfile] = field(default_factory=lambda: PROFILES)
    strict_inline: bool = True


@dataclass(frozen=True, slots=True)
class Analysis:
    """`satisfied`: it may run by itself. `reasons` say what stands against it.

    `used` are the entries that it needed, with the program that each allowed. `always` are the
    patterns that would allow it from now on; () when no answer may be kept. `programs` are the
    real paths of what would run, as far as they are known.
    """

    satisfied: bool
    reasons: tuple[str, ...] = ()
    used: tuple[tuple[int, str], ...] = ()
    always: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


def command_analyse(text: str, *, place: Place, rules: ListRules) -> Analysis:
    """Looks at everything that would run. Reads the file system, changes nothing, never raises."""
    parsed = command_parse(text)
    exact = exact_match(text, rules.allowances)
    if parsed.problem:
        never = _names_privilege(text)
        if exact is not None and not never:
            return Analysis(True, used=((exact.id, ""),))
        return Analysis(False, (parsed.problem,), always=() if never else (exact_pattern(text),))
    steps = _Steps(place, rules)
    for command in parsed.commands:
        steps.take(command)
    if exact is not None and not steps.never:
        return Analysis(True, used=((exact.id, ""),), programs=tuple(steps.programs))
    return steps.analysis(text)


def _names_privilege(text: str) -> bool:
    plain = "".join(" " if not (part.isalnum() or part in "-_") else part for part in text)
    return any(word in PRIVILEGE for word in plain.split())


class _Steps:
    """Goes through the commands of a line in their order."""

    def __init__(self, place: Place, rules: ListRules) -> None:
        self._place = place
        self._rules = rules
        self._unwrapper = Unwrapper(strict=rules.strict_inline)
        self.reasons: list[str] = []
        self.patterns: list[str] = []
        self.programs: list[str] = []
        self._used: list[tuple[int, str]] = []
        self._acts = False
        self._read_paths = False
        self._kept = True
        self.never = False

    def take(self, command: SimpleCommand) -> None:
        for target in self._unwrapper.targets((command,)):
            self._target(target)

    def analysis(self, text: str) -> Analysis:
        if self._read_paths and (self._acts or self.patterns):
            # What acts could put a link where the other command reads.
            self._refuse("it reads files beside a command that may change them", keep=False)
        if not self.reasons:
            return Analysis(True, used=tuple(self._used), programs=tuple(self.programs))
        always: tuple[str, ...] = ()
        if not self.never:
            kept = self._kept and self.patterns
            always = tuple(dict.fromkeys(self.patterns)) if kept else (exact_pattern(text),)
        reasons = tuple(dict.fromkeys(self.reasons))
        return Analysis(False, reasons, always=always, programs=tuple(self.programs))

    def _target(self, target: Target) -> None:
        name = target.name
        if target.problem:
            self.never = self.never or target.weight == "never"
            self._refuse(target.problem, keep=False)
            return
        if self._shell_runs(target):
            return
        program = executable_find(name, self._place)
        if program is None:
            self._refuse(f"{name} is no program on the PATH", keep=False)
            return
        self.programs.append(str(program.real))
        if _in_disguise(name, program):
            self._refuse(f"{name} is {program.real}", keep=False)
        elif target.wrapper:
            if not program.is_system(self._place):
                self._refuse(f"{name} is not the system's own", keep=False)
        elif plain_name(name) == "git" and (found := git_disguise(target.words[1:], self._place)):
            self._refuse(f"git would obey what stands in {found}", keep=False)
        elif not self._passes(target, program):
            self._miss(target, program)

    def _shell_runs(self, target: Target) -> bool:
        """Whether the shell runs the target itself; then it has been dealt with."""
        name, words = target.name, target.words[1:]
        if "/" in name or target.external:
            return False
        if name == "cd":
            self._change_folder(target)
            return True
        ends = name == "exit" and all(word.literal and word.text.isdigit() for word in words)
        # Those that print what they get may get anything.
        if ends or name == "command" or is_own(name):
            return True
        if name in BUILTINS:
            self._refuse(f"{name} is a command of the shell itself", keep=False)
            return True
        return False

    def _change_folder(self, target: Target) -> None:
        words = target.words[1:]
        if len(words) != 1 or not words[0].literal or words[0].text.startswith("-"):
            self._refuse("cd to a folder that is not plain", keep=False)
            return
        folders = {folder / words[0].text for folder in self._place.folders}
        inside = all(self._place.holds(folder) and is_folder(folder) for folder in folders)
        if not inside or len(folders) > 1:
            self._refuse("cd out of the workspace, or to a folder that is not there", keep=False)
            return
        # Whether it succeeds is only known when it runs.
        self._place = replace(self._place, folders=self._place.folders | {*map(_real, folders)})

    def _passes(self, target: Target, program: Executable) -> bool:
        words, called = target.words[1:], target.name.rsplit("/", 1)[-1]
        harmless = program.is_system(self._place) and not target.open
        if harmless and called in self._rules.safe_bins:
            profile = self._rules.profiles.get(called)
            if profile is not None and safe_bin_passes(words, profile):
                return True
        entry = allowance_match(target, program, self._place, self._rules.allowances)
        if entry is not None:
            self._acts = True
            self._used.append((entry.id, str(program.real)))
            return True
        if harmless and looks_only(called, words, self._place):
            self._read_paths = self._read_paths or reads_files(called, words)
            return True
        return False

    def _miss(self, target: Target, program: Executable) -> None:
        # A program that only looks was refused for what it looks at: that is what is kept.
        looks = target.name in LOOKS or target.name == "find"
        lasting = target.lasting and not looks and not self._place.holds(program.real)
        pattern = str(program.real)
        # A path that would read as a glob allows more than itself.
        if lasting and kind_of(pattern) == "" and not set(pattern) & set("*?"):
            self.patterns.append(pattern)
            self._refuse(f"{target.name} is not on the list of allowed commands", keep=True)
        else:
            self._refuse(f"{target.name} is not on the list of allowed commands", keep=False)

    def _refuse(self, reason: str, *, keep: bool) -> None:
        self.reasons.append(reason)
        self._kept = self._kept and keep


def _real(folder: Path) -> Path:
    return folder.resolve()


def _in_disguise(name: str, program: Executable) -> bool:
    """Whether a name hides a program that is looked into by name, such as a shell."""
    real, called = kind_of(str(program.real)), kind_of(name)
    if real in ("", called):
        return False
    # Versions and alternatives of the same language are no disguise.
    return plain_name(str(program.real)) != plain_name(name)
