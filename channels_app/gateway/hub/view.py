"""A running turn as the web process has seen it so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

# Records that begin the text of a run, and those that name all run ids which it answers.
BEGINNING = frozenset({"run.start", "run.resume"})
NAMING = BEGINNING | {"run.wires"}


@dataclass(eq=False, slots=True)
class RunView:
    """The text of one run, for clients that want all of it again and again.

    `is_whole` is false when the beginning was missed; then no whole text is sent until the end.
    `shown` is how much of it such clients have, `shown_at` when they got it (monotonic seconds).
    """

    run: str
    wire: str
    wires: list[str]
    agent: str
    fence: int
    seq: int = 0
    is_whole: bool = True
    provider: str = ""
    model: str = ""
    shown: int = 0
    shown_at: float = float("-inf")
    seen_at: float = field(default_factory=time.monotonic)
    _parts: list[str] = field(default_factory=list)
    _thinking: list[str] = field(default_factory=list)
    _length: int = 0

    @property
    def text(self) -> str:
        """Everything said so far."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    @property
    def thinking(self) -> str:
        """Everything thought so far."""
        if len(self._thinking) > 1:
            self._thinking = ["".join(self._thinking)]
        return self._thinking[0] if self._thinking else ""

    @property
    def has_news(self) -> bool:
        """Whether clients that want the whole text lack some of it."""
        return self.is_whole and self._length > self.shown

    def say(self, delta: str) -> None:
        """Appends to the text."""
        self._parts.append(delta)
        self._length += len(delta)

    def think(self, delta: str) -> None:
        """Appends to the reasoning."""
        self._thinking.append(delta)

    def start_over(self, text: str) -> None:
        """Replaces the text: the run was resumed, or records were missed."""
        self._parts = [text] if text else []
        self._length = self.shown = len(text)
        self.is_whole = True

    def show(self) -> str:
        """Marks the whole text as sent and returns the part that is new."""
        new = self.text[self.shown :]
        self.shown = self._length
        self.shown_at = time.monotonic()
        return new


def view_make(record: dict[str, Any]) -> RunView:
    """The view for the first record of a run that is seen."""
    wire = record.get("wire", "")
    wires = record.get("wires") if record["t"] in NAMING else None
    return RunView(
        run=record.get("run", ""),
        wire=wire,
        wires=list(wires or [wire]),
        agent=record.get("agent", ""),
        fence=record.get("fence", 0),
    )
