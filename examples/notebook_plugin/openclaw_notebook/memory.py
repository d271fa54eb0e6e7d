"""A memory back end: the newest notes first, whatever is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.memory.places import memory_files, note_read
from agents.memory.search import Found, Passage

_SHOWN = 200


class LastNotes:
    """Answers with the beginning of the notes whose names come last, as those of days do."""

    def search(self, *, snapshot: Any, max_results: int | None, **_asked: Any) -> Sequence[Found]:
        """At most `max_results` notes. Whose they are the gateway sees to."""
        files = memory_files(snapshot.workspace)[::-1]
        texts = [(file.path, note_read(snapshot.workspace, file.path)) for file in files]
        found = [Found(path, 1, 1 + text.count("\n"), 1.0, text[:_SHOWN]) for path, text in texts]
        return found[: max_results or 6]

    def get(self, *, snapshot: Any, path: str, start: int, lines: int, **_asked: Any) -> Passage:
        """The lines that were asked for."""
        all_lines = note_read(snapshot.workspace, path).splitlines()
        return Passage(path, "\n".join(all_lines[start - 1 : start - 1 + lines]))
