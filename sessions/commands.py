"""Words that act at once instead of going to the model. Pure parsing; `command_run` is elsewhere.

A message is a command only when it is nothing else: `/stop`, `/queue steer`, or one of the stop
words people type when an agent must halt. An option at the beginning of a message (`/think high
What is …`) holds for that message alone (gateway.md 5.7).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from agents.providers.thinking_levels import ALL_LEVELS
from sessions.queueing import MODES, mode_named
from sessions.showing import LEVELS
from tools.exec_security.elevated import LEVELS as ELEVATED

# What may stand behind a command's name: nothing, one word, or any text.
Rest = Literal["none", "word", "text"]
# The value of an option at the beginning of a message, None when the word is none.
ValueOf = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class CommandKind:
    """One command. `choices` are words that may stand behind it; `option` is the message option
    that it sets at the beginning of a message."""

    name: str
    arguments: str
    help: str | Promise
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    rest: Rest = "word"
    option: str = ""
    value: ValueOf | None = None

    @property
    def usage(self) -> str:
        """How it is written."""
        return f"/{self.name} {self.arguments}".strip()


def _level_of(name: str) -> ValueOf:
    def level(word: str) -> str | None:
        return word.lower() if word.lower() in LEVELS[name] else None

    return level


def _thinking_of(word: str) -> str | None:
    # Only the levels themselves: "/t on the table" is a message.
    return word.lower() if word.lower() in ALL_LEVELS else None


def _model_of(word: str) -> str | None:
    return None if word.lower() in MODEL_WORDS else word


# What /model does beside naming a model.
MODEL_WORDS = ("list", "status", "default")

COMMANDS: tuple[CommandKind, ...] = (
    CommandKind("help", "", _("lists the commands"), aliases=("commands",), rest="none"),
    CommandKind(
        "status", "", _("shows model, credential, thinking, context and queue"), rest="none"
    ),
    CommandKind(
        "context",
        "[list|detail|json]",
        _("what the model is told, and how many tokens that takes"),
        ("list", "detail", "json"),
    ),
    CommandKind("skill", "[name] [text]", _("has a skill used; alone it lists them"), rest="text"),
    CommandKind("stop", "", _("ends what runs"), rest="none"),
    CommandKind(
        "approve",
        "[code] [allow-once|allow-always|deny]",
        _("decides what an agent waits for; alone it lists what waits"),
        rest="text",
    ),
    CommandKind("new", "[text]", _("starts a new conversation"), aliases=("reset",), rest="text"),
    CommandKind("compact", "[instructions]", _("makes old messages a summary"), rest="text"),
    CommandKind(
        "model",
        "[name|list|status|default]",
        _("which model answers; name@credential pins a credential"),
        MODEL_WORDS,
        ("models",),
        option="model",
        value=_model_of,
    ),
    CommandKind(
        "think",
        "[level|default]",
        _("how much the model thinks before it answers"),
        aliases=("thinking", "t"),
        option="thinking",
        value=_thinking_of,
    ),
    CommandKind(
        "reasoning",
        "[on|stream|off]",
        _("whether you see what the model thinks"),
        LEVELS["reasoning"],
        ("reason",),
        option="reasoning",
        value=_level_of("reasoning"),
    ),
    CommandKind(
        "verbose",
        "[on|full|off]",
        _("how much you see of tool calls"),
        LEVELS["verbose"],
        ("v",),
        option="verbose",
        value=_level_of("verbose"),
    ),
    CommandKind(
        "trace",
        "[on|off]",
        _("a line behind each answer: run, model, credential, tokens, cost, time"),
        LEVELS["trace"],
        option="trace",
        value=_level_of("trace"),
    ),
    CommandKind(
        "elevated",
        "[off|on|ask|full|default]",
        _("whether commands may leave the sandbox"),
        (*ELEVATED, "default"),
        ("elev",),
    ),
    CommandKind(
        "queue",
        "[steer|followup|collect|interrupt|default]",
        _("what happens to messages sent while a turn runs"),
        (*MODES, "default"),
        option="queue",
        value=mode_named,
    ),
)
_BY_WORD = {word: kind for kind in COMMANDS for word in (kind.name, *kind.aliases)}
# What no skill may be called as.
WORDS = frozenset(_BY_WORD)

STOP_WORDS = frozenset({
    "stop", "esc", "abort", "wait", "exit", "interrupt", "halt", "please stop", "stop please",
    "stop action", "stop run", "stop agent", "stop openclaw", "stop current action",
    "stop doing anything", "detente", "deten", "arrete", "arrête", "停止", "やめて", "止めて",
    "रुको", "توقف", "стоп", "остановись", "anhalten", "aufhören", "stopp", "pare",
})  # fmt: skip
_SLASH = re.compile(r"/([a-z]+):?(?:\s+(.*))?", re.DOTALL | re.IGNORECASE)
_OPTION = re.compile(r"\s*/([a-z]+)(?::\s*|\s+)(\S+)", re.IGNORECASE)
# The last two are the full-width forms of ! and ?.
_TRAILING = " \t\r\n.!?…。,\uff01\uff1f"


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed command. `rest` is what stood behind the name, stripped."""

    name: str
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Inline:
    """A message with options at its beginning: `options` by the names of the inbox (thinking,
    model, verbose, reasoning, trace, queue), `text` is what is left for the model."""

    options: dict[str, str]
    text: str


def command_parse(text: str) -> Command | None:
    """The command that `text` is, or None when it is a message for the model.

    An unknown slash word is a message. `/stop` with anything behind it is one too, and so is an
    option with more than one word behind it that does not begin with a value.
    """
    plain = text.strip()
    if plain.rstrip(_TRAILING).lower() in STOP_WORDS:
        return Command("stop")
    match = _SLASH.fullmatch(plain)
    kind = _BY_WORD.get(match[1].lower()) if match else None
    if match is None or kind is None:
        return None
    rest = (match[2] or "").strip()
    if kind.name == "model" and match[1].lower() == "models" and not rest:
        rest = "list"
    words = len(rest.split())
    if (kind.rest == "none" and rest) or (kind.rest == "word" and words > 1):
        return None
    return Command(kind.name, rest)


def commands_parse(text: str) -> list[Command]:
    """The commands that `text` is: one, or several options in a row; [] for a message."""
    if command := command_parse(text):
        return [command]
    inline = options_split(text)
    if inline is None or inline.text:
        return []
    names = {kind.option: kind.name for kind in COMMANDS if kind.option}
    return [Command(names[option], value) for option, value in inline.options.items()]


def options_split(text: str) -> Inline | None:
    """The options at the beginning of a message, None when there are none.

    Text anywhere else stays as it is: nobody can set an option by quoting one.
    """
    options: dict[str, str] = {}
    at = 0
    while match := _OPTION.match(text, at):
        kind = _BY_WORD.get(match[1].lower())
        value = kind.value(match[2]) if kind is not None and kind.value is not None else None
        if kind is None or value is None:
            break
        options[kind.option] = value
        at = match.end()
    return Inline(options, text[at:].strip()) if options else None
