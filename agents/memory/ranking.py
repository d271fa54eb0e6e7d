"""Ordering what was found. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from agents.memory.words import words_of

# runtime.md 11.
MAX_RESULTS = 6
MIN_SCORE = 0.35
VECTOR_WEIGHT = 0.7
TEXT_WEIGHT = 0.3
CANDIDATE_MULTIPLIER = 4
MOST_CANDIDATES = 200
MMR_LAMBDA = 0.7
HALF_LIFE_DAYS = 30.0
# Shorter words are not taken apart.
_LEAST_STEM = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found. `score` is between 0 and 1, `day` that of a daily note."""

    path: str
    start: int
    end: int
    text: str
    score: float
    day: date | None = None


def text_scored(hits: Sequence[Hit], keywords: Sequence[str]) -> list[Hit]:
    """The hits of a full-text search with scores between 0 and 1, best first.

    Half of a score is the hit's rank beside the best one's: ranks of small and large collections
    do not compare. The other half is the share of the keywords that the hit has.
    """
    best = max((hit.score for hit in hits), default=0.0)
    scored = [
        replace(
            hit,
            score=0.5 * (hit.score / best if best > 0 else 1.0)
            + 0.5 * _covered(hit.text, keywords),
        )
        for hit in hits
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def snippet(text: str, keywords: Sequence[str], room: int) -> tuple[str, int]:
    """The lines of `text` with the most keywords, at most `room` characters, and how many lines
    stand before them."""
    if len(text) <= room:
        return text, 0
    lines = text.split("\n")
    counts = [_covered(line, keywords) for line in lines]
    middle = max(range(len(lines)), key=lambda at: counts[at])
    first = last = middle
    size = len(lines[middle])
    while True:
        before = lines[first - 1] if first else None
        after = lines[last + 1] if last + 1 < len(lines) else None
        if after is not None and size + len(after) + 1 <= room:
            last, size = last + 1, size + len(after) + 1
        elif before is not None and size + len(before) + 1 <= room:
            first, size = first - 1, size + len(before) + 1
        else:
            break
    return "\n".join(lines[first : last + 1])[:room], first


def _covered(text: str, keywords: Sequence[str]) -> float:
    """The share of the keywords that `text` has, in whatever inflection."""
    if not keywords:
        return 0.0
    words = set(words_of(text))
    return sum(_among(keyword, words) for keyword in keywords) / len(keywords)


def _among(keyword: str, words: set[str]) -> bool:
    if keyword in words:
        return True
    if len(keyword) < _LEAST_STEM:
        return False
    stem = keyword[: max(_LEAST_STEM, len(keyword) - 3)]
    return any(word.startswith(stem) for word in words)


def candidates(max_results: int, multiplier: int = CANDIDATE_MULTIPLIER) -> int:
    """How many chunks are looked at for so many results."""
    return max(1, min(MOST_CANDIDATES, max_results * multiplier))


def decayed(hit: Hit, today: date, half_life_days: float = HALF_LIFE_DAYS) -> Hit:
    """The hit with what its age takes from it; notes without a day do not grow old."""
    if hit.day is None:
        return hit
    age = max(0, (today - hit.day).days)
    return replace(hit, score=hit.score * math.exp(-math.log(2) / half_life_days * age))


def diversified(hits: Sequence[Hit], count: int, weight: float = MMR_LAMBDA) -> list[Hit]:
    """At most `count` of the hits: good ones that do not repeat each other.

    Maximal marginal relevance; likeness is the share of common words (Jaccard). The best hit stays
    the first.
    """
    left = sorted(hits, key=lambda hit: -hit.score)
    words = {id(hit): frozenset(words_of(hit.text)) for hit in left}
    chosen: list[Hit] = []
    while left and len(chosen) < count:
        best = max(
            left,
            key=lambda hit: (
                weight * hit.score
                - (1 - weight)
                * max((_likeness(words[id(hit)], words[id(one)]) for one in chosen), default=0.0)
            ),
        )
        left.remove(best)
        chosen.append(best)
    return chosen


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    together = len(one | other)
    return len(one & other) / together if together else 0.0
