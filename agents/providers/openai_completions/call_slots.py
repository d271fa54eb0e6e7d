"""Which tool call a delta belongs to.

The format says: by `index`, with id and name in the first delta. Services are known to put all
calls on one index, to leave the index or the id out, or to repeat id and name in every delta.
"""

from __future__ import annotations

from typing import Any

from agents.providers.common.arguments import is_complete
from agents.providers.common.assembly import Assembly, OpenCall


class CallSlots:
    """The open calls of one answer."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._calls: list[OpenCall] = []
        self._by_index: dict[int, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}

    def find(self, entry: dict[str, Any], name: str, position: int, count: int) -> OpenCall:
        """The call of the `position`-th of `count` entries of a delta, begun if it is new."""
        index = entry.get("index")
        call_id = entry.get("id")
        call_id = call_id if isinstance(call_id, str) else ""
        if not isinstance(index, int):
            # Without indexes the entries of one delta are told apart by their order at best.
            index = position if count > 1 and not call_id else None
        call = self._known(index, call_id, name)
        if call is None:
            call = self._assembly.begin_call(call_id, name)
            self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        self._note(call, call_id, name)
        return call

    def _known(self, index: int | None, call_id: str, name: str) -> OpenCall | None:
        """The call that an entry continues; None when it begins one."""
        placed = self._by_index.get(index) if index is not None else None
        if not call_id:
            call = placed if index is not None else (self._calls[-1] if self._calls else None)
            return None if call is None or self._starts_another(call, name) else call
        same = self._by_id.get(call_id)
        if same is not None:
            # The same id for calls on several indexes: then the index tells more.
            is_other = placed is None and index is not None and bool(name)
            return None if is_other else placed or same
        if placed is None or (placed.id and name):
            return None
        return placed

    def _starts_another(self, call: OpenCall, name: str) -> bool:
        """Whether an entry with this name and no id is a new call rather than more of `call`."""
        if not name or not call.name:
            return False
        raw = "".join(call.pieces)
        if not raw:
            return name != call.name and (call.name + name) not in self._assembly.tools
        return name != call.name or is_complete(raw)

    def _note(self, call: OpenCall, call_id: str, name: str) -> None:
        if call_id and not call.id:
            call.id = call_id
        if call.id:
            self._by_id.setdefault(call.id, call)
        if not call.name:
            call.name = name
        elif name != call.name and not call.pieces and call.name + name in self._assembly.tools:
            call.name += name

    def by_id(self, call_id: str) -> OpenCall | None:
        """The call with this id."""
        return self._by_id.get(call_id)
