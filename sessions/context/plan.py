"""What a compaction would summarise and what it would keep, or why it is not worth its while.

Pure: everything follows from the branch and the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agents.context.cut import Cut, cut_find
from agents.context.summary import SummaryMessage
from agents.context.tokens import message_tokens, messages_tokens
from agents.core.messages import Message, UserMessage, user_text

Trigger = Literal["budget", "overflow", "manual"]
# design 10: the share of the budget that recent messages may take, whatever the setting says.
KEEP_SHARE = 0.4
# The share of the budget, and the tokens, that a compaction must have before it to be worth a call.
_LEAST_SHARE, _LEAST_TOKENS = 0.05, 200
# Asked for by a person, at least three quarters of what there is are summarised.
_MANUAL_SHARE = 0.25
# Estimates that are corrected by more than this are not believed.
_SCALES = (0.5, 4.0)


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing is compacted; `reason` is a code of runtime.md 3.6."""

    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`early` and then `beginning` are summarised, `items[first:]` is kept.

    `beginning` is the first part of a turn whose end is kept, `request` what it began with.
    Tokens are estimates corrected by `scale`.
    """

    first: int
    early: Sequence[Message]
    beginning: Sequence[Message]
    kept: Sequence[Message]
    request: str
    tokens_before: int
    kept_tokens: int
    scale: float

    @property
    def removed(self) -> Sequence[Message]:
        """Everything that is summarised, oldest first."""
        return [*self.early, *self.beginning]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a compaction is asked for. `tokens` is the size of the context as known, `overhead` that
    of prompt and tools; `attempt` counts within one turn from 1.
    """

    trigger: Trigger
    budget: int
    keep: int
    tokens: int
    overhead: int
    attempt: int = 1


def compaction_plan(
    messages: Sequence[Message], *, summary: SummaryMessage | None, before: int, wanted: Wanted
) -> Plan | Skip:
    """The plan for a branch of `messages` behind its `summary`.

    The first `before` messages stood there already at the last compaction.
    """
    if not messages:
        return Skip("no_compactable_entries")
    if wanted.trigger != "overflow" and before and len(messages) == before:
        return Skip("already_compacted_recently")
    old = message_tokens(summary) if summary is not None else 0
    guessed = old + messages_tokens(messages)
    scale = _scale(wanted, guessed)
    cut = cut_find(messages, keep=_keep(wanted), scale=scale)
    removed = messages_tokens(messages[: cut.index]) * scale
    if cut.index == 0:
        return Skip("no_compactable_entries")
    least = _LEAST_TOKENS
    if wanted.trigger == "budget":
        least = max(least, int(wanted.budget * _LEAST_SHARE))
    if removed < least:
        return Skip("below_threshold")
    return _plan(messages, cut, wanted, int(guessed * scale), scale)


def _plan(messages: Sequence[Message], cut: Cut, wanted: Wanted, tokens: int, scale: float) -> Plan:
    kept = messages[cut.index :]
    opening = messages[cut.turn_start]
    has_request = cut.splits_turn and isinstance(opening, UserMessage)
    return Plan(
        first=cut.index,
        early=messages[: cut.turn_start],
        beginning=messages[cut.turn_start : cut.index],
        kept=kept,
        request=user_text(opening) if has_request and isinstance(opening, UserMessage) else "",
        tokens_before=max(wanted.tokens, wanted.overhead + tokens),
        kept_tokens=int(messages_tokens(kept) * scale),
        scale=scale,
    )


def _keep(wanted: Wanted) -> int:
    budget = wanted.budget
    if wanted.trigger == "overflow" and wanted.tokens:
        # What was refused did not fit, however large the window is said to be.
        budget = min(budget, wanted.tokens)
    keep = min(wanted.keep, int(budget * KEEP_SHARE))
    if wanted.trigger == "manual":
        keep = min(keep, int(max(0, wanted.tokens - wanted.overhead) * _MANUAL_SHARE))
    # Each further overflow of the same turn keeps half as much: the service knows better than we.
    return keep >> (wanted.attempt - 1) if wanted.trigger == "overflow" else keep


def _scale(wanted: Wanted, guessed: int) -> float:
    """How much larger the messages are than their estimate, as far as reports show it."""
    if guessed <= 0:
        return 1.0
    least, most = _SCALES
    return min(most, max(least, (wanted.tokens - wanted.overhead) / guessed))
