"""Which item of an answer an event belongs to.

The format says: by the item's id. Some services leave the id or the index out, give an item
another id in every event, or put several items on one index. `call_id` never decides: items of
several types carry the same one.
"""

from __future__ import annotations

from typing import Any, TypeVar

from agents.providers.common.assembly import (
    Assembly,
    HalfCharacters,
    OpenCall,
    OpenText,
    OpenThinking,
)

Block = OpenText | OpenThinking | OpenCall
B = TypeVar("B", bound=Block)
KINDS: dict[str, type[Block]] = {
    "message": OpenText,
    "reasoning": OpenThinking,
    "function_call": OpenCall,
}


class ItemSlots:
    """The blocks of one answer by the items that they come from."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._by_id: dict[str, Block] = {}
        self._by_index: dict[int, Block] = {}
        self._closed: set[int] = set()

    def begin(self, event: dict[str, Any], item: dict[str, Any]) -> Block | None:
        """The block of an item that was announced; None for types that are not ours."""
        kind = KINDS.get(str(item.get("type")))
        if kind is None:
            return None
        known = self._by_id.get(_text(item.get("id")))
        return known if isinstance(known, kind) else self._new(kind, event, item)

    def ending(self, event: dict[str, Any], item: dict[str, Any]) -> Block | None:
        """The block of an item that is complete; None for types that are not ours."""
        kind = KINDS.get(str(item.get("type")))
        return None if kind is None else self._find(event, kind, _text(item.get("id")))

    def find(self, event: dict[str, Any], kind: type[B]) -> B:
        """The block that a delta continues, a new one when there is none.

        By the id, by the place, else the last of its kind that is open.
        """
        return self._find(event, kind, _text(event.get("item_id")))

    def _find(self, event: dict[str, Any], kind: type[B], item_id: str) -> B:
        known = self._by_id.get(item_id)
        if isinstance(known, kind):
            return known
        index = event.get("output_index")
        placed = self._by_index.get(index) if isinstance(index, int) else None
        if isinstance(placed, kind) and id(placed) not in self._closed:
            return placed
        if not item_id or not isinstance(index, int):
            for block in reversed(self._assembly.blocks):
                if isinstance(block, kind) and id(block) not in self._closed:
                    return block
        return self._new(kind, event, {"id": item_id})

    def close(self, block: Block) -> None:
        """The item is complete: only an event with its id can still mean it."""
        self._closed.add(id(block))

    def listed(self, item: dict[str, Any], number: int) -> Block | None:
        """The block of the `number`-th item of its type in the list that ends an answer.

        None for types that are not ours and for what was completed before. Ids that the stream did
        not have are passed over: the list is in the order of the stream.
        """
        kind = KINDS.get(str(item.get("type")))
        if kind is None:
            return None
        block = self._by_id.get(_text(item.get("id")))
        if not isinstance(block, kind):
            same = [found for found in self._assembly.blocks if isinstance(found, kind)]
            block = same[number] if number < len(same) else self._new(kind, {}, item)
        return None if id(block) in self._closed else block

    def _new(self, kind: type[B], event: dict[str, Any], item: dict[str, Any]) -> B:
        block = kind(len(self._assembly.blocks))
        self._assembly.blocks.append(block)
        if item_id := _text(item.get("id")):
            self._by_id[item_id] = block
        if isinstance(index := event.get("output_index"), int):
            self._by_index[index] = block
        return block


def rewrite(call: OpenCall, arguments: str) -> None:
    """Puts `arguments` in place of what had been streamed."""
    call.pieces.clear()
    call.halves = HalfCharacters()
    call.push(arguments)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
