"""One socket that said who it is: its rights, its numbers, its running requests."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from agents.core.principal import Principal
from channels_app.gateway.errors import UNAVAILABLE, GatewayError
from channels_app.gateway.frames import answer_error, answer_ok
from channels_app.gateway.handshake_params import Client
from channels_app.gateway.identity import Identity
from channels_app.gateway.limits import Limits
from channels_app.gateway.outbox import Outbox

# Run ids that ended lately on this socket, so that none ends twice.
_MOST_ENDED = 1000
PAGE_CLIENT = "webchat-ui"


@dataclass(frozen=True, slots=True)
class Flavour:
    """What decides how a record looks on a socket; equal flavours share one rendered frame."""

    protocol: int
    is_page: bool
    has_tools: bool
    has_positions: bool
    has_html: bool


@dataclass(eq=False)
class Connection:
    """The state of a socket after hello-ok. Used on its event loop only."""

    id: str
    client: Client
    identity: Identity
    protocol: int
    caps: frozenset[str]
    limits: Limits
    outbox: Outbox
    connected_at_ms: int
    host: str = ""
    wants_sessions: bool = False
    unauthorized: int = 0
    seq: int = 0
    flavour: Flavour = field(init=False)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    ended: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        is_page = self.client.id == PAGE_CLIENT
        self.flavour = Flavour(
            protocol=self.protocol,
            is_page=is_page,
            has_tools="tool-events" in self.caps,
            has_positions="resume" in self.caps,
            has_html=is_page and "rendered-html" in self.caps,
        )
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def principal(self) -> Principal:
        """In whose name it asks, with the granted scopes."""
        return self.identity.principal

    def event(self, head: str, *, droppable: bool = False) -> None:
        """Sends a rendered event with this connection's next number."""
        number = self.seq + 1
        if self.outbox.put(f'{head},"seq":{number}}}', droppable=droppable):
            self.seq = number

    def answer(self, request_id: str, payload: Any) -> None:
        """Answers a request."""
        text = answer_ok(request_id, payload)
        if len(text) > self.limits.max_payload:
            self.refuse(
                request_id, GatewayError(UNAVAILABLE, "the answer is larger than maxPayload")
            )
            return
        self.outbox.put(text)

    def refuse(self, request_id: str, error: GatewayError) -> None:
        """Answers a request that failed."""
        self.outbox.put(answer_error(request_id, error.body(self.protocol)))

    def lock(self, key: str) -> asyncio.Lock:
        """One lock for each session: messages to it are taken in the order they were sent."""
        found = self._locks.get(key)
        if found is None:
            found = self._locks[key] = asyncio.Lock()
        return found

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs `work` beside the others; it is cancelled when the socket closes."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def end_run(self, wire: str) -> bool:
        """Marks a run id as ended; False when it had ended here before."""
        if wire in self.ended:
            return False
        self.ended[wire] = None
        while len(self.ended) > _MOST_ENDED:
            self.ended.popitem(last=False)
        return True
