"""What tools have to tell the layers above, which fill these registries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.core.registry import Registry


@dataclass(frozen=True, slots=True)
class BackgroundEnded:
    """A command that ended in the background, and that nobody has looked at since.

    `key` is its own for ever, `run_id` is of the turn that started it for `person`. `text` is one
    line about the end with the last words that it printed: those come from outside.
    """

    key: str
    name: str
    agent: str
    person: str
    session_key: str
    run_id: str
    text: str


# Told of each end until every sink has returned: after a kill they may be told twice, also by two
# workers at once, so a sink must keep the `key`. Called on a thread that may use the database.
BACKGROUND_ENDED: Registry[Callable[[BackgroundEnded], None]] = Registry("background end sink")

# Told the key and the session key of a command whose end an agent has seen by itself after it was
# announced: nobody needs to tell it any more.
BACKGROUND_SEEN: Registry[Callable[[str, str], None]] = Registry("background seen sink")
