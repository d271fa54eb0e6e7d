"""The full-text index of an agent's notes: a SQLite file that can be made anew at any time."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TypeVar

import structlog

from agents.memory.chunks import chunks_of
from agents.memory.places import MemoryFile, memory_files, note_date, note_read
from agents.memory.ranking import Hit
from agents.memory.words import index_text

T = TypeVar("T")

# Raised whenever what stands in the file changes its meaning: older files are thrown away.
_VERSION = 1
_SECONDS = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, signature TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS chunks (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL, audience TEXT NOT NULL, start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL, text TEXT NOT NULL, day TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_path ON chunks (path);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
  body, name, audience, tokenize = 'porter unicode61 remove_diacritics 2'
);
"""
# Who may read a passage is part of what is sought in the index, and looked at once more in the row.
_FIND = """
SELECT c.path, c.start_line, c.end_line, c.text, c.day, found.rank
FROM (
  SELECT rowid, bm25(words, 1.0, 0.5, 0.0) AS rank FROM words WHERE words MATCH ?
  ORDER BY rank LIMIT ?
) AS found JOIN chunks c ON c.id = found.rowid
WHERE c.audience IN ({audiences}) ORDER BY found.rank
"""

log = structlog.get_logger(__name__)


class MemoryIndex:
    """The index in `file` over the notes in `workspace`. May be used by many threads and processes;
    each call opens the file for itself.
    """

    def __init__(self, file: Path, workspace: Path) -> None:
        self._file = file
        self._workspace = workspace

    def sync(self) -> int:
        """Makes the index agree with the notes and returns how many files were read for that."""
        present = memory_files(self._workspace)
        return self._mended(lambda: self._sync(present))

    def find(self, words: Sequence[str], *, audiences: Sequence[str], limit: int) -> list[Hit]:
        """The best chunks that have any of the words, for these audiences only; best first.

        Their score is how good they are in this file alone: more is better.
        """
        if not words or not audiences:
            return []
        sought = " OR ".join('"' + word.replace('"', "") + '"' for word in words)
        allowed = " OR ".join(_audience_word(name) for name in audiences)
        query = f"(audience : ({allowed})) AND ({{body name}} : ({sought}))"
        return self._mended(lambda: self._find(query, audiences, limit))

    def size(self) -> int:
        """How many chunks it holds."""
        with self._open() as base:
            return int(base.execute("SELECT count(*) FROM chunks").fetchone()[0])

    def _sync(self, present: Sequence[MemoryFile]) -> int:
        with self._open() as base:
            known = dict(base.execute("SELECT path, signature FROM files"))
            gone = known.keys() - {file.path for file in present}
            changed = [file for file in present if known.get(file.path) != file.signature]
            if not gone and not changed:
                return 0
            base.execute("BEGIN IMMEDIATE")
            for path in (*gone, *(file.path for file in changed)):
                _forget(base, path)
            for file in changed:
                _store(base, file, note_read(self._workspace, file.path))
            base.execute("COMMIT")
            return len(changed)

    def _find(self, query: str, audiences: Sequence[str], limit: int) -> list[Hit]:
        statement = _FIND.format(audiences=", ".join("?" * len(audiences)))
        with self._open() as base:
            rows = base.execute(statement, (query, limit, *audiences)).fetchall()
        return [
            Hit(path, start, end, text, -rank, date.fromisoformat(day) if day else None)
            for path, start, end, text, day, rank in rows
        ]

    def _mended(self, work: Callable[[], T]) -> T:
        """What `work` returns; a file that is damaged is thrown away and made anew once."""
        try:
            return work()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise
            log.warning("memory_index_made_anew", file=str(self._file), error=str(error))
            for ending in ("", "-wal", "-shm"):
                Path(f"{self._file}{ending}").unlink(missing_ok=True)
            self._sync(memory_files(self._workspace))
            return work()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        base = sqlite3.connect(self._file, timeout=_SECONDS, isolation_level=None)
        try:
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = NORMAL")
            if base.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                _prepare(base)
            yield base
        finally:
            base.close()


def _prepare(base: sqlite3.Connection) -> None:
    base.execute("BEGIN IMMEDIATE")
    if base.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
        # Another process was quicker.
        base.execute("COMMIT")
        return
    for name in ("files", "chunks", "words"):
        base.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in _SCHEMA.split(";\n"):
        base.execute(statement)
    base.execute(f"PRAGMA user_version = {_VERSION}")
    base.execute("COMMIT")


def _forget(base: sqlite3.Connection, path: str) -> None:
    base.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE path = ?)", (path,))
    base.execute("DELETE FROM chunks WHERE path = ?", (path,))
    base.execute("DELETE FROM files WHERE path = ?", (path,))


def _store(base: sqlite3.Connection, file: MemoryFile, text: str) -> None:
    day = _day(file.path)
    name = index_text(Path(file.path).with_suffix("").as_posix())
    base.execute("INSERT INTO files VALUES (?, ?)", (file.path, file.signature))
    for chunk in chunks_of(text):
        cursor = base.execute(
            "INSERT INTO chunks (path, audience, start_line, end_line, text, day) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (file.path, file.audience, chunk.start, chunk.end, chunk.text, day),
        )
        row = (cursor.lastrowid, index_text(chunk.text), name, _audience_word(file.audience))
        base.execute("INSERT INTO words (rowid, body, name, audience) VALUES (?, ?, ?, ?)", row)


def _audience_word(audience: str) -> str:
    """One word that no text has and that no two audiences share."""
    return f"audience{hashlib.sha256(audience.encode()).hexdigest()}"


def _day(path: str) -> str:
    stated = note_date(path)
    try:
        return date(*stated).isoformat() if stated else ""
    except ValueError:
        return ""
