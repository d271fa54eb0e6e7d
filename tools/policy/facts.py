"""What rules are applied to: tools, and the circumstances of a turn. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from tools.policy.names import name_normalise

# design 10; `tools.ownerOnly` replaces it.
OWNER_ONLY = ("cron", "exec", "gateway", "nodes", "process")
# How deep children may start children unless it is configured (runtime.md 4.7).
MAX_DEPTH = 1
# The parts of a session key behind which the id of a room stands.
_ROOMS = ("group", "channel", "room")


@dataclass(frozen=True, slots=True)
class ToolFact:
    """One tool. `plugin` is the id of what brought it, "" for a tool of the product.

    An `optional` tool is there only where rules name it. `key` is the name as rules compare it.
    """

    name: str
    plugin: str = ""
    optional: bool = False
    key: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Kept, because each rule looks at it.
        object.__setattr__(self, "key", name_normalise(self.name))


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote the message, as far as the channel knows. Empty texts match nothing."""

    id: str = ""
    e164: str = ""
    username: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that decides which tools a turn has, besides the rules.

    `model` has no provider in front. `room` is the id of a group or channel and is to be taken
    from the session key only (see `session_facts`), never from what a caller says. `depth` counts
    from 0 for a session that no agent started. `provider_search` says that the model's service
    searches the web by itself. `unavailable` are tools that nothing here can serve, each with the
    reason.
    """

    tools: tuple[ToolFact, ...] = ()
    agent: str = "main"
    provider: str = ""
    model: str = ""
    is_owner: bool = False
    channel: str = ""
    room: str = ""
    sender: Sender = Sender()
    sandboxed: bool = False
    depth: int = 0
    max_depth: int = MAX_DEPTH
    provider_search: bool = False
    owner_only: tuple[str, ...] = OWNER_ONLY
    unavailable: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What a session key tells. `channel` is "" unless the key is that of a room."""

    channel: str = ""
    room: str = ""
    depth: int = 0


@lru_cache(maxsize=1024)
def session_facts(key: str) -> SessionFacts:
    """Channel, room and depth of a canonical key: `agent:<id>:<channel>:group:<room>[:…]`,
    `agent:<id>:subagent:<id>[:subagent:<id>]`."""
    parts = key.lower().split(":")[2:]
    depth = sum(part == "subagent" for part in parts[::2])
    if len(parts) >= 3 and parts[1] in _ROOMS:
        return SessionFacts(parts[0], parts[2], depth)
    return SessionFacts(depth=depth)
