"""What an item of a Responses answer leaves in our own blocks, so that it can go back as it was.

A reasoning item is kept whole, as JSON, in the signature of its thinking block: its encrypted
content is worth nothing without its id. Of a message the id and the phase are kept in the text's
signature. A call's id holds both of the format's ids, `call_id|item_id`.
"""

from __future__ import annotations

from typing import Any

from agents.providers.common.body import json_decode, json_encode

SEPARATOR = "|"
_MESSAGE_KEYS = ("id", "phase")


def reasoning_sign(item: dict[str, Any]) -> str:
    """The signature of the thinking block that stands for `item`."""
    # The status tells of the stream that is over; services refuse it as input.
    return json_encode({key: value for key, value in item.items() if key != "status"}).decode()


def reasoning_item(signature: str | None) -> dict[str, Any] | None:
    """The item in a signature; None for what another format signed."""
    item = _object(signature)
    is_item = item.get("type") == "reasoning" and isinstance(item.get("id"), str)
    return item if is_item else None


def message_sign(item: dict[str, Any]) -> str | None:
    """The signature of a message item's text; None when it has nothing to keep."""
    kept = {key: item[key] for key in _MESSAGE_KEYS if item.get(key)}
    return json_encode(kept).decode() if kept else None


def message_facts(signature: str | None) -> dict[str, str]:
    """`id` and `phase` out of a text's signature, as far as they are there."""
    facts = _object(signature)
    return {key: facts[key] for key in _MESSAGE_KEYS if isinstance(facts.get(key), str)}


def call_join(call_id: str, item_id: str) -> str:
    """Our id of a call."""
    return f"{call_id}{SEPARATOR}{item_id}" if call_id and item_id else call_id or item_id


def call_split(joined: str) -> tuple[str, str]:
    """The call's id and its item's id, "" when there is none."""
    call_id, _, item_id = joined.partition(SEPARATOR)
    return call_id, item_id


def _object(signature: str | None) -> dict[str, Any]:
    if not signature or not signature.startswith("{"):
        return {}
    try:
        value = json_decode(signature)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
