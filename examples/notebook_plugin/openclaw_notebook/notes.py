"""The notes: a file for each agent, because several processes look at them."""

from __future__ import annotations

import json
from pathlib import Path

from django.conf import settings


class Notebooks:
    """A list of notes for each agent. `is_open` between the start and the end of the process."""

    def __init__(self) -> None:
        self.is_open = False

    def open(self) -> None:
        """Begins."""
        self.is_open = True

    def close(self) -> None:
        """Ends."""
        self.is_open = False

    def of(self, agent: str) -> list[str]:
        """The notes of an agent, oldest first."""
        try:
            lines = self._file(agent).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]

    def add(self, agent: str, note: str) -> int:
        """Adds a note; returns how many there are."""
        file = self._file(agent)
        file.parent.mkdir(exist_ok=True)
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(note) + "\n")
        return len(self.of(agent))

    def clear(self, agent: str) -> None:
        """Forgets the notes of an agent."""
        self._file(agent).unlink(missing_ok=True)

    def _file(self, agent: str) -> Path:
        return Path(settings.OPENCLAW.home) / "notebook" / f"{agent}.jsonl"


NOTEBOOKS = Notebooks()
