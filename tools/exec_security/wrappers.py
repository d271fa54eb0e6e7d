"""Programs that only start another one in another way: what stands behind them is what runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tools.exec_security.name_set import name_set
from tools.exec_security.syntax import harmless_variable, is_assignment
from tools.exec_security.words import Word

Words = tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Wrapper:
    """`flags` are options alone, `valued` those with a value behind or in them, `before` counts the
    words between options and program. What else begins with a dash is not looked through."""

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    before: int = 0
    numbers: bool = False


WRAPPERS: Mapping[str, Wrapper] = {
    "nice": Wrapper(valued=name_set("-n --adjustment"), numbers=True),
    "nohup": Wrapper(),
    "stdbuf": Wrapper(valued=name_set("-i -o -e --input --output --error")),
    "timeout": Wrapper(
        name_set("--foreground --preserve-status -v --verbose"),
        name_set("-k --kill-after -s --signal"),
        before=1,
    ),
    "gtimeout": Wrapper(name_set("--foreground --preserve-status"), name_set("-k -s"), before=1),
    "time": Wrapper(name_set("-p -v --portability --verbose")),
    "ionice": Wrapper(name_set("-t --ignore"), name_set("-c --class -n --classdata")),
    "setsid": Wrapper(name_set("-c --ctty -w --wait")),
    "chrt": Wrapper(name_set("-b --batch -f --fifo -i --idle -o --other -r --rr"), before=1),
    # Options of these three may change where programs are looked for.
    "command": Wrapper(),
    "exec": Wrapper(),
    "env": Wrapper(),
}
_NUMBER = re.compile(r"-\d+\Z")


def wrapped(name: str, words: Words) -> Words | None:
    """The words of the program behind the wrapper `name`, `words` being those behind its name.

    () when it starts none; None when its options are not looked through.
    """
    spec = WRAPPERS[name]
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        word = words[at]
        option, has_value, _value = word.text.partition("=")
        if not word.literal:
            return None
        if word.text == "--":
            at += 1
            break
        if word.text in spec.flags or (spec.numbers and _NUMBER.match(word.text)):
            at += 1
        elif word.text in spec.valued:
            at += 2
        elif (has_value and option in spec.valued) or _joined(word.text, spec.valued):
            at += 1
        else:
            return None
    rest = words[at:]
    for word in rest[: spec.before]:
        if not word.literal:
            return None
    rest = rest[spec.before :]
    return _behind_variables(rest) if name == "env" else rest


def _joined(text: str, valued: frozenset[str]) -> bool:
    return not text.startswith("--") and text[:2] in valued and len(text) > 2


def _behind_variables(words: Words) -> Words | None:
    for index, word in enumerate(words):
        if not is_assignment(word) and "=" not in word.text:
            return words[index:]
        name, _sign, value = word.text.partition("=")
        if not harmless_variable(name, value) or not word.literal:
            return None
    return ()
