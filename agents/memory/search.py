"""Looking something up in an agent's notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings
from pydantic import ValidationError

from agents.core.principal import Principal
from agents.memory import ranking
from agents.memory.index import MemoryIndex
from agents.memory.places import audience_of, audiences_for, is_memory, note_read
from agents.memory.settings_schema import MemorySearch
from agents.memory.words import keywords_of
from agents.selectors import AgentSnapshot

# runtime.md 11: characters of a snippet; lines of a note that are given at once.
SNIPPET = 700
MAX_LINES = 400


@dataclass(frozen=True, slots=True)
class Found:
    """A passage. Lines are counted from 1; `score` is between 0 and 1."""

    path: str
    start: int
    end: int
    score: float
    snippet: str

    @property
    def citation(self) -> str:
        """Where it stands, as people write it."""
        lines = f"L{self.start}" if self.start == self.end else f"L{self.start}-L{self.end}"
        return f"{self.path}#{lines}"


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a note. `next_from` is the line to go on with, None at the end."""

    path: str
    text: str
    next_from: int | None = None


def memory_settings(snapshot: AgentSnapshot) -> MemorySearch:
    """The agent's settings over the defaults; what is invalid counts as not said."""
    stated = snapshot.settings.get("memorySearch")
    if not isinstance(stated, Mapping):
        return MemorySearch()
    try:
        return MemorySearch.model_validate(dict(stated))
    except ValidationError:
        return MemorySearch()


def memory_search(
    *,
    snapshot: AgentSnapshot,
    principal: Principal,
    query: str,
    max_results: int | None = None,
    min_score: float | None = None,
) -> list[Found]:
    """The passages that answer `query` best, for this person. [] for nothing.

    Notes that have changed are read first. Needs no database, may take long for many changed
    notes: not for the event loop. Raises OSError or sqlite3.Error when the index cannot be kept.
    """
    stated = memory_settings(snapshot).query
    count = max_results or stated.max_results
    least = stated.min_score if min_score is None else min_score
    keywords = keywords_of(query)
    index = MemoryIndex(_index_file(snapshot.slug), snapshot.workspace)
    index.sync()
    hits = index.find(
        keywords,
        audiences=audiences_for(principal),
        limit=ranking.candidates(count, stated.hybrid.candidate_multiplier),
    )
    scored = ranking.text_scored(hits, keywords)
    if stated.hybrid.temporal_decay.enabled:
        today = datetime.now(UTC).date()
        life = stated.hybrid.temporal_decay.half_life_days
        scored = sorted((ranking.decayed(hit, today, life) for hit in scored), key=_worst_first)
    kept = [hit for hit in scored if hit.score >= least]
    if stated.hybrid.mmr.enabled:
        kept = ranking.diversified(kept, count, stated.hybrid.mmr.weight)
    return [_found(hit, keywords) for hit in kept[:count]]


def memory_get(
    *,
    snapshot: AgentSnapshot,
    principal: Principal,
    path: str,
    start: int = 1,
    lines: int = MAX_LINES,
) -> Passage:
    """Lines of a note; an empty text when there is no such note for this person.

    What is somebody else's answers as if it were not there.
    """
    name = note_name(path, snapshot.workspace)
    if not name or audience_of(name) not in audiences_for(principal):
        return Passage(path, "")
    found = note_read(snapshot.workspace, name).splitlines()
    count = min(lines, MAX_LINES)
    shown = found[start - 1 : start - 1 + count]
    further = start + count
    return Passage(name, "\n".join(shown), further if further <= len(found) else None)


def _index_file(slug: str) -> Path:
    return Path(django_settings.OPENCLAW.home) / "memory" / f"{slug}.sqlite"


def note_name(path: str, workspace: Path) -> str:
    """The path of a note below the workspace, however it was written; "" for what is no note."""
    given = path.strip().partition("#")[0].replace("\\", "/")
    if "\0" in given:
        return ""
    relative = Path(given)
    if relative.is_absolute():
        if not relative.is_relative_to(workspace):
            return ""
        relative = relative.relative_to(workspace)
    name = relative.as_posix()
    return name if ".." not in relative.parts and is_memory(name) else ""


def _worst_first(hit: ranking.Hit) -> float:
    return -hit.score


def _found(hit: ranking.Hit, keywords: list[str]) -> Found:
    text, before = ranking.snippet(hit.text, keywords, SNIPPET)
    start = min(hit.end, hit.start + before)
    end = min(hit.end, start + text.count("\n"))
    return Found(hit.path, start, end, round(hit.score, 3), text)


def found_json(found: Found) -> dict[str, Any]:
    """The form that models and programs get (runtime.md 11)."""
    return {
        "path": found.path,
        "startLine": found.start,
        "endLine": found.end,
        "score": found.score,
        "snippet": found.snippet,
        "source": "memory",
        "citation": found.citation,
    }
