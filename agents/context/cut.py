"""Where a history may be cut, so that its newest part can stand alone. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.context.tokens import message_tokens
from agents.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage

# The part that is kept may be this much larger than asked for before a later place is taken.
_SLACK = 1.5


@dataclass(frozen=True, slots=True)
class Cut:
    """A place in a history: `messages[index:]` is kept.

    When the place lies inside a turn, `turn_start` is the index of the person's message that began
    it; otherwise it equals `index`.
    """

    index: int
    turn_start: int

    @property
    def splits_turn(self) -> bool:
        """Whether the turn that is kept has lost its beginning."""
        return self.turn_start < self.index


def cut_places(messages: Sequence[Message]) -> list[int]:
    """The indices at which no tool call is parted from its result, in order.

    Index 0 is among them, the end is not. A result belongs to the last assistant message before
    it, whatever stands between the two.
    """
    places: list[int] = []
    results_follow = False
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AssistantMessage):
            places.append(index)
            results_follow = False
        elif isinstance(message, ToolResultMessage):
            results_follow = True
        elif not results_follow:
            places.append(index)
    if messages and (not places or places[-1] != 0):
        places.append(0)
    places.reverse()
    return places


def cut_find(messages: Sequence[Message], *, keep: int, scale: float = 1.0) -> Cut:
    """The place that keeps about `keep` tokens of the newest messages, at least so many if there
    are.

    `scale` corrects the estimate of each message. Where the place before the limit would keep
    much more (a huge tool result), the one behind it is taken. Index 0 means that nothing can be
    cut off; at least the last place is always kept.
    """
    places = cut_places(messages)
    if not places:
        return Cut(0, 0)
    kept, reached = 0.0, 0
    for index in range(len(messages) - 1, -1, -1):
        kept += message_tokens(messages[index]) * scale
        if kept >= keep:
            reached = index
            break
    else:
        return Cut(0, 0)
    before = max((place for place in places if place <= reached), default=0)
    after = min((place for place in places if place > reached), default=None)
    weight = sum(message_tokens(message) for message in messages[before:]) * scale
    chosen = before if after is None or weight <= keep * _SLACK else after
    return Cut(chosen, _turn_start(messages, chosen))


def _turn_start(messages: Sequence[Message], index: int) -> int:
    if isinstance(messages[index], UserMessage):
        return index
    for place in range(index - 1, -1, -1):
        if isinstance(messages[place], UserMessage):
            return place
    return index
