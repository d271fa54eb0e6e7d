"""Small bar charts, drawn on the server; the table behind each is in its template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEIGHT = 72
_STEP = 10
_GAP = 2


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar in the units of the drawing; the lower `bad_height` of it stands for failures."""

    label: str
    value: int
    bad: int
    x: int
    y: int
    width: int
    height: int
    bad_y: int = 0
    bad_height: int = 0


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars and the width of the drawing."""

    caption: str
    highest: int
    width: int
    bars: list[Bar]


def bars_chart(caption: str, values: Sequence[tuple[str, int, int]]) -> Chart:
    """A chart of (label, count, how many of them are bad). Empty values give an empty chart."""
    highest = max((count for _label, count, _bad in values), default=0) or 1

    def tall(count: int) -> int:
        return round(count / highest * HEIGHT)

    bars = [
        Bar(
            label=label,
            value=count,
            bad=bad,
            x=number * _STEP,
            y=HEIGHT - tall(count),
            width=_STEP - _GAP,
            height=tall(count),
            bad_y=HEIGHT - tall(bad),
            bad_height=tall(bad),
        )
        for number, (label, count, bad) in enumerate(values)
    ]
    return Chart(caption=caption, highest=highest, width=max(len(bars) * _STEP, 1), bars=bars)
