"""Ranks tools by what is searched for: Okapi BM25 over names and descriptions. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

# The usual constants of BM25 (Robertson and Zaragoza, 2009).
_K1 = 1.2
_B = 0.75
# A word of a name tells more of a tool than one of its description.
_NAME_WEIGHT = 3
# What a word counts that only begins like the one searched for ("issue" and "issues").
_PREFIX_WEIGHT = 0.6
_SHORTEST_PREFIX = 3
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")


def words(text: str) -> list[str]:
    """The words of a text or an identifier, lower case: `createIssue_v2` is create, issue, v, 2."""
    return [word.lower() for word in _WORDS.findall(text)]


class Ranking:
    """An index over pairs of a name and a description."""

    def __init__(self, entries: Sequence[tuple[str, str]]) -> None:
        self._counts = [
            Counter(words(name) * _NAME_WEIGHT + words(description))
            for name, description in entries
        ]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._average = sum(self._lengths) / len(entries) if entries else 0.0
        self._holders = Counter(word for counts in self._counts for word in counts)

    def best(self, query: str, limit: int) -> list[int]:
        """The places of at most `limit` entries that have something of `query`, best first."""
        terms = Counter(dict(self._terms(query)))
        scores = [(self._score(place, terms), place) for place in range(len(self._counts))]
        found = sorted((-score, place) for score, place in scores if score > 0)
        return [place for _score, place in found[:limit]]

    def _terms(self, query: str) -> Iterator[tuple[str, float]]:
        """The words of the index that the query means, each with what it counts."""
        weights: dict[str, float] = {}
        for word in dict.fromkeys(words(query)):
            for known in self._holders:
                weight = _likeness(word, known)
                if weight > weights.get(known, 0.0):
                    weights[known] = weight
        yield from weights.items()

    def _score(self, place: int, terms: Counter[str]) -> float:
        counts, total = self._counts[place], len(self._counts)
        room = _K1 * (1 - _B + _B * self._lengths[place] / self._average) if self._average else _K1
        score = 0.0
        for term, weight in terms.items():
            if count := counts.get(term):
                holders = self._holders[term]
                rarity = math.log(1 + (total - holders + 0.5) / (holders + 0.5))
                score += weight * rarity * count * (_K1 + 1) / (count + room)
        return score


def _likeness(word: str, known: str) -> float:
    if word == known:
        return 1.0
    short, long = sorted((word, known), key=len)
    alike = len(short) >= _SHORTEST_PREFIX and long.startswith(short)
    return _PREFIX_WEIGHT if alike else 0.0
