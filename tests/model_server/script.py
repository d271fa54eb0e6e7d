"""The directives that a test writes into a user message.

[[echo:TEXT]]            answer TEXT (without any directive the answer is "ok")
[[tokens:N:DELAY_MS]]    answer N words "tok0 tok1 ...", DELAY_MS apart
[[tool:NAME {json}]]     call the tool NAME; once its result is in the conversation go on with
                         the next [[tool:]] of the message, then answer the text
[[parallel]]             make all the calls in one answer
[[final:TEXT]]           the text after the tools (else "tool said: RESULT")
[[think:TEXT]]           stream TEXT as reasoning before the answer
[[delay:MS]]             wait before the first byte
[[status:CODE]]          answer with this HTTP error
[[status:CODE:K]]        ... for the first K requests with this very message
[[because:TEXT]]         the text of that error
[[retry_after:SECONDS]]  the retry-after header of that error ("none": without one)
[[overflow]]             the format's own "context too long" error
[[overflow:CHARS]]       ... only if the messages of the request exceed CHARS characters
[[hang]]                 accept the request and never answer
[[stall:N]]              stream N words, then stay silent
[[drop:N]]               stream N words, then cut the connection
[[usage:IN:OUT]]         report these token counts
[[odd:CASE]]             one of the odd streams of `odd_chat` and `odd_messages`; it calls the
                         message's [[tool:]]s, and the answer after their results is normal
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_OPEN = re.compile(r"\[\[([a-z_]+)")
_TOOL_NAME = re.compile(r":\s*([\w.\-/]+)\s*")


@dataclass
class Script:
    """What one user message asks of the server. Delays are in seconds."""

    text: str | None = None
    tokens: int | None = None
    gap: float = 0.0
    tools: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    parallel: bool = False
    final: str | None = None
    think: str | None = None
    delay: float | None = None
    status: int | None = None
    status_times: int | None = None
    because: str | None = None
    retry_after: str | None = None
    overflow_above: int | None = None
    hang: bool = False
    stall: int | None = None
    drop: int | None = None
    usage: tuple[int, int] | None = None
    odd: str | None = None


def _tokens(script: Script, value: str) -> None:
    count, _, delay = value.partition(":")
    script.tokens, script.gap = int(count), float(delay or 0) / 1000


def _status(script: Script, value: str) -> None:
    code, _, times = value.partition(":")
    script.status, script.status_times = int(code), int(times) if times else None


def _usage(script: Script, value: str) -> None:
    tokens_in, _, tokens_out = value.partition(":")
    script.usage = (int(tokens_in), int(tokens_out))


def _setter(name: str, convert: Callable[[str], Any]) -> Callable[[Script, str], None]:
    return lambda script, value: setattr(script, name, convert(value))


_DIRECTIVES: dict[str, Callable[[Script, str], None]] = {
    "echo": _setter("text", str),
    "tokens": _tokens,
    "parallel": _setter("parallel", lambda _: True),
    "final": _setter("final", str),
    "think": _setter("think", str),
    "delay": _setter("delay", lambda value: float(value) / 1000),
    "status": _status,
    "because": _setter("because", str),
    "retry_after": _setter("retry_after", str),
    "overflow": _setter("overflow_above", lambda value: int(value or -1)),
    "hang": _setter("hang", lambda _: True),
    "stall": _setter("stall", lambda value: int(value or 1)),
    "drop": _setter("drop", lambda value: int(value or 1)),
    "usage": _usage,
    "odd": _setter("odd", str),
}


def script_parse(message: str) -> Script:
    """The directives of `message`. Unknown or malformed ones are passed over."""
    script, position = Script(), 0
    while found := _OPEN.search(message, position):
        name, position = found.group(1), found.end()
        if name == "tool":
            position = _take_tool(script, message, position)
        else:
            position = _take_value(script, name, message, position)
    return script


def _take_tool(script: Script, message: str, position: int) -> int:
    """Reads NAME and its JSON by decoding, so that the arguments may contain "]]"."""
    head = _TOOL_NAME.match(message, position)
    if head is None:
        return position
    arguments: dict[str, Any] = {}
    position = head.end()
    if message[position : position + 1] == "{":
        try:
            arguments, position = json.JSONDecoder().raw_decode(message, position)
        except ValueError:
            return position
    script.tools.append((head.group(1), arguments))
    return position


def _take_value(script: Script, name: str, message: str, position: int) -> int:
    end = message.find("]]", position)
    if end < 0:
        return len(message)
    apply = _DIRECTIVES.get(name)
    if apply is not None:
        try:
            apply(script, message[position:end].removeprefix(":"))
        except ValueError:
            return end + 2
    return end + 2
