"""Cutting the largest tool results of what is sent, when a summary was not enough."""

from __future__ import annotations

from collections.abc import Mapping

from agents.context.caps import LEAST_CHARS
from agents.context.tokens import CHARS_PER_TOKEN
from agents.core.messages import ToolResultMessage, blocks_text
from sessions.context.store import truncation_store
from sessions.models import Entry
from sessions.turns.history import Branch
from sessions.turns.turn import Turn

# Limits in characters that are tried one after another, until enough is saved.
_LIMITS = (32_000, 16_000, 8_000, 4_000, LEAST_CHARS)
# Where the estimate says that it should have fitted, this share of the results is saved.
_LEAST_SHARE = 0.5


def cuts_find(results: Mapping[int, ToolResultMessage], *, excess: int) -> dict[int, int]:
    """For each result to cut, by its index, how many characters of it are left.

    `excess` is how many tokens too many there are, as far as estimates go. Empty when no result
    is long enough to be cut.
    """
    sizes = {index: len(blocks_text(message.content)) for index, message in results.items()}
    spare = sum(max(0, size - LEAST_CHARS) for size in sizes.values())
    wanted = max(excess * CHARS_PER_TOKEN, int(spare * _LEAST_SHARE))
    for limit in _LIMITS:
        # The note in place of what is left out takes some room itself.
        cuts = {index: limit for index, size in sizes.items() if size > limit + 400}
        saved = sum(sizes[index] - limit for index in cuts)
        if cuts and (saved >= wanted or limit == LEAST_CHARS):
            return cuts
    return {}


def truncation_commit(turn: Turn, branch: Branch, cuts: Mapping[str, int]) -> Entry:
    """Stores which results are cut, so that later turns send the same. Raises LeaseLostError."""
    known: Mapping[str, int] = branch.details.get("truncated") or {}
    details = {
        **branch.details,
        "truncated": {**known, **cuts},
        "kind": "truncation",
    }
    body = {
        "summary": branch.summary,
        "firstKeptEntryId": branch.items[0][0] if branch.items else "",
        "tokensBefore": branch.tokens_before,
        "details": details,
    }
    return truncation_store(turn, body)
