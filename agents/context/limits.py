"""How much of a conversation a channel's settings let the model see. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.context.summary import SummaryMessage
from agents.core.messages import Message, UserMessage

_DIRECT = frozenset({"direct", "dm"})
_SHARED = frozenset({"group", "channel", "room"})
_THREADS = frozenset({"thread", "topic"})


def history_limit(key: str, channels: Mapping[str, Any]) -> int:
    """The most turns of a person that are sent in the session `key`, 0 for all.

    `channels` is that section of the configuration: `dms.<peer>.historyLimit` before
    `dmHistoryLimit` for direct messages, `historyLimit` for groups and channels. A thread has the
    limit of its parent.
    """
    parts = key.split(":")
    # agent:<id>:<channel>:[<account>:]<kind>:<peer>[:thread:<id>]
    kinds = _DIRECT | _SHARED
    at = next((n for n in range(3, min(len(parts), 5)) if parts[n] in kinds), 0)
    settings = channels.get(parts[2]) if at else None
    if not isinstance(settings, Mapping):
        return 0
    if parts[at] in _SHARED:
        return _number(settings.get("historyLimit"))
    peer = _peer(parts[at + 1 :])
    dms = settings.get("dms")
    own = dms.get(peer) if isinstance(dms, Mapping) else None
    if isinstance(own, Mapping) and (limit := _number(own.get("historyLimit"))):
        return limit
    return _number(settings.get("dmHistoryLimit"))


def limited_from(messages: Sequence[Message], limit: int) -> int:
    """The index of the first message that is sent when only the newest `limit` turns are."""
    left = limit
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, UserMessage) and not isinstance(message, SummaryMessage):
            left -= 1
            if left == 0:
                return index
    return 0


def limited(messages: Sequence[Message], limit: int) -> Sequence[Message]:
    """The newest `limit` turns of a person, behind the summary if there is one; 0 means all."""
    first = limited_from(messages, limit) if limit else 0
    if not first:
        return messages
    head, kept = messages[0], messages[first:]
    return [head, *kept] if isinstance(head, SummaryMessage) else kept


def _peer(parts: Sequence[str]) -> str:
    for index, part in enumerate(parts):
        if index and part in _THREADS:
            return ":".join(parts[:index])
    return ":".join(parts)


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
