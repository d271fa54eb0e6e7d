"""Words that act at once instead of going to the model. Pure parsing; `command_run` is elsewhere.

A message is a command only when it is nothing else: `/stop`, `/queue steer`, or one of the stop
words people type when an agent must halt (gateway.md 5.7).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

CommandName = Literal["stop", "new", "queue", "help", "status"]
NAMES: dict[str, CommandName] = {
    "stop": "stop",
    "new": "new",
    "reset": "new",
    "queue": "queue",
    "help": "help",
    "commands": "help",
    "status": "status",
}
STOP_WORDS = frozenset({
    "stop", "esc", "abort", "wait", "exit", "interrupt", "halt", "please stop", "stop please",
    "stop action", "stop run", "stop agent", "stop openclaw", "stop current action",
    "stop doing anything", "detente", "deten", "arrete", "arrête", "停止", "やめて", "止めて",
    "रुको", "توقف", "стоп", "остановись", "anhalten", "aufhören", "stopp", "pare",
})  # fmt: skip
_SLASH = re.compile(r"/([a-z]+):?(?:\s+(.*))?", re.DOTALL | re.IGNORECASE)
# The last two are the full-width forms of ! and ?.
_TRAILING = " \t\r\n.!?…。,\uff01\uff1f"


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed command. `rest` is what stood behind the name, stripped."""

    name: CommandName
    rest: str = ""


def command_parse(text: str) -> Command | None:
    """The command that `text` is, or None when it is a message for the model.

    An unknown slash word is a message. `/stop` with anything behind it is one too.
    """
    plain = text.strip()
    if plain.rstrip(_TRAILING).lower() in STOP_WORDS:
        return Command("stop")
    match = _SLASH.fullmatch(plain)
    if match is None:
        return None
    name = NAMES.get(match[1].lower())
    rest = (match[2] or "").strip()
    if name is None or (rest and name in ("stop", "help", "status")):
        return None
    return Command(name, rest)
