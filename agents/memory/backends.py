"""Where notes are looked up: the built-in search, or what a plugin brought in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from agents.config.registry import section
from agents.core.errors import UserError
from agents.core.principal import Principal
from agents.core.registry import Registry
from agents.memory.places import audience_of, audiences_for, is_memory
from agents.memory.search import Found, Passage, memory_get, memory_search
from agents.selectors import AgentSnapshot

BUILT_IN = "memory-core"
NONE = "none"


class MemoryBackend(Protocol):
    """A memory. Both calls may take long, run on a thread, and may use no row of the database.

    Paths are those of notes below the workspace. What a backend gives back for notes that are not
    for `principal` is dropped, whatever it says.
    """

    def search(
        self,
        *,
        snapshot: AgentSnapshot,
        principal: Principal,
        query: str,
        max_results: int | None,
        min_score: float | None,
    ) -> Sequence[Found]:
        """The passages that answer `query` best, best first."""
        ...

    def get(
        self, *, snapshot: AgentSnapshot, principal: Principal, path: str, start: int, lines: int
    ) -> Passage:
        """Lines of a note, an empty text when it is not there."""
        ...


class MemoryCore:
    """Full-text search in the Markdown files of the workspace."""

    def search(self, **asked: Any) -> Sequence[Found]:
        """See `agents.memory.search.memory_search`."""
        return memory_search(**asked)

    def get(self, **asked: Any) -> Passage:
        """See `agents.memory.search.memory_get`."""
        return memory_get(**asked)


MEMORY_BACKENDS: Registry[MemoryBackend] = Registry("memory back end")
MEMORY_BACKENDS.register(BUILT_IN, MemoryCore())


def memory_backend() -> MemoryBackend | None:
    """The one that `plugins.slots.memory` names; None for `none`.

    Reads rows unless they were read a moment ago. Raises UserError when no loaded plugin brings it.
    """
    wanted = str(section("plugins").slots.memory)
    if wanted == NONE:
        return None
    if wanted not in MEMORY_BACKENDS:
        known = ", ".join([*MEMORY_BACKENDS.names(), NONE])
        raise UserError(
            f"plugins.slots.memory is {wanted!r}, and no plugin that is loaded brings it. "
            f"There are: {known}."
        )
    return MEMORY_BACKENDS.get(wanted)


def permitted(found: Sequence[Found], principal: Principal) -> list[Found]:
    """What this person may be told of; in the same order."""
    allowed = audiences_for(principal)
    return [one for one in found if is_memory(one.path) and audience_of(one.path) in allowed]
