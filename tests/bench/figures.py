"""What was measured, as numbers with a goal: pure, so that it can be tested without a gateway."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

_GAP = "  "


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the table.

    `goal` is the most that is allowed, or with `at` "least" the least; None means that the number
    is only for information. `notes` are further numbers that explain it.
    """

    name: str
    value: float
    unit: str
    goal: float | None = None
    at: Literal["most", "least"] = "most"
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """ "ok", "over", "under" (a least value that was missed), or "" without a goal."""
        if self.goal is None:
            return ""
        if self.at == "most":
            return "ok" if self.value <= self.goal else "over"
        return "ok" if self.value >= self.goal else "under"

    def as_json(self) -> dict[str, Any]:
        """The figure as a line of the results file."""
        return {
            "name": self.name,
            "value": round(self.value, 3),
            "unit": self.unit,
            "goal": self.goal,
            "at": self.at,
            "verdict": self.verdict,
            "notes": self.notes,
        }


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of them lie. Raises ValueError when there are none."""
    if not values:
        raise ValueError("no values were measured")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Times in seconds as milliseconds: n, p50, p90, max."""
    return {
        "n": len(seconds),
        "p50": round(statistics.median(seconds) * 1000, 1),
        "p90": round(percentile(seconds, 0.9) * 1000, 1),
        "max": round(max(seconds) * 1000, 1),
    }


def growth(seconds: Sequence[float], width: int = 20) -> float:
    """The median of the last `width` values divided by that of the first."""
    return statistics.median(seconds[-width:]) / statistics.median(seconds[:width])


def table(figures: Sequence[Figure]) -> list[str]:
    """The figures as aligned lines, notes at the end."""
    head = ("measure", "value", "goal", "", "notes")
    rows = [head, *(_cells(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head) - 1)]
    return [
        _GAP.join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)).rstrip()
        for row in rows
    ]


def _cells(figure: Figure) -> tuple[str, str, str, str, str]:
    sign = "≤" if figure.at == "most" else "≥"
    goal = "" if figure.goal is None else f"{sign} {figure.goal:g} {figure.unit}".rstrip()
    notes = ", ".join(f"{name} {value}" for name, value in figure.notes.items())
    return figure.name, f"{figure.value:.4g} {figure.unit}".rstrip(), goal, figure.verdict, notes
