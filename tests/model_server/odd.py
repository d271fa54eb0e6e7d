"""What an odd stream is made of, and what both wire formats share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.model_server.answer import Call, next_id
from tests.model_server.script import Script

# é and the emoji are beyond ASCII: their JSON escapes can be cut, the emoji's into two halves.
DEFAULT_TOOLS = [("read", {"path": "café 😀.txt"}), ("read", {"path": "b.txt"})]
HTML = b"<!doctype html><html><body>Please sign in.</body></html>"
EMOJI_HALVES = ("\ud83d", "\ude00")


@dataclass(frozen=True)
class Odd:
    """Bytes to send as they are; `cut` breaks the connection where an end was due."""

    frames: Sequence[bytes]
    content_type: str = "text/event-stream"
    cut: bool = False


OddCase = Callable[[Sequence[Call]], Odd]


def arguments_of(call: Call) -> str:
    """The arguments as JSON text, escaped to ASCII."""
    return json.dumps(call.arguments)


def halves(text: str) -> list[str]:
    """The characters of `text`, those beyond the basic plane as two lone surrogates."""
    units = text.encode("utf-16-le", "surrogatepass")
    return [
        units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)
    ]


def odd_calls(script: Script) -> list[Call]:
    """The calls of an odd stream."""
    tools = script.tools or DEFAULT_TOOLS
    return [Call(f"call_{next_id():06d}", name, arguments) for name, arguments in tools]
