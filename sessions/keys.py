"""Session keys: how a conversation is named. Pure.

Grammar (gateway.md 5.1): `agent:<agent id>:<rest>`, compared and stored in lower case. A key
without the prefix is an alias under the default agent: `main` means `agent:<default>:main`.
"""

from __future__ import annotations

import re

from agents.core.errors import UserError
from agents.ids import new_id

MAX_KEY = 512
AGENT_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
# Printable, no blanks: keys travel in addresses, log lines and Redis messages.
_REST = re.compile(r"[^\s\x00-\x1f\x7f]+")


def session_key_normalise(raw: str, *, default_agent: str) -> str:
    """The canonical key for what a caller wrote.

    Raises UserError that names the fault: empty, too long, blanks or control characters, or a
    malformed `agent:` prefix. Never guesses an agent from a malformed key.
    """
    key = raw.strip().lower()
    if not key:
        raise UserError("sessionKey is empty; use a key such as agent:main:main.")
    if len(key) > MAX_KEY:
        raise UserError(f"sessionKey is longer than {MAX_KEY} characters.")
    if not _REST.fullmatch(key):
        raise UserError("sessionKey has blanks or control characters; leave them out.")
    if not key.startswith("agent:"):
        return f"agent:{default_agent}:{key}"
    _, agent, rest = (*key.split(":", 2), "", "")[:3]
    if not AGENT_ID.fullmatch(agent) or not rest.strip(":"):
        raise UserError("sessionKey is malformed; it must read agent:<agent id>:<rest>.")
    return key


def agent_of(key: str) -> str:
    """The agent id of a canonical key."""
    return key.split(":", 2)[1]


def main_key(agent: str) -> str:
    """The key of an agent's main session."""
    return f"agent:{agent}:main"


def web_key(agent: str) -> str:
    """A fresh key for a conversation opened on the web page."""
    return f"agent:{agent}:web:{new_id()}"


def http_key(agent: str, user: str = "") -> str:
    """The key of an HTTP conversation: stable for a stated `user`, fresh without one."""
    return (
        f"agent:{agent}:openai-user:{user.lower()}" if user else f"agent:{agent}:openai:{new_id()}"
    )


def is_main(key: str) -> bool:
    """Whether this is the main session of its agent."""
    return key.count(":") == 2 and key.endswith(":main")
