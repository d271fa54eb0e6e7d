"""Places in a session's live record, `<epoch>:<milliseconds>-<number>`. Pure."""

from __future__ import annotations

from typing import NamedTuple


class Position(NamedTuple):
    """A parsed position; within one epoch later ones compare greater."""

    epoch: str
    milliseconds: int
    number: int

    @property
    def text(self) -> str:
        """The form that travels."""
        return f"{self.epoch}:{self.milliseconds}-{self.number}"

    def is_after(self, other: Position | None) -> bool:
        """Whether this is news to a reader that has seen `other`. A new epoch always is."""
        return other is None or self.epoch != other.epoch or self > other


def position_parse(text: str) -> Position | None:
    """The position in `text`, None when it is not one."""
    epoch, _, stream_id = text.partition(":")
    milliseconds, _, number = stream_id.partition("-")
    if not epoch or not milliseconds.isdecimal() or not (number or "0").isdecimal():
        return None
    return Position(epoch, int(milliseconds), int(number or 0))
