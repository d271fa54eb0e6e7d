"""Numbers and times in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels_app.pages.wording import UNKNOWN, ago, count, duration, money, size

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def test_it_works() -> None:
    assert ago(NOW - timedelta(minutes=3), now=NOW) == "3 min ago"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "just now"),
        (-60, "just now"),
        (12, "12 s ago"),
        (3599, "59 min ago"),
        (7200, "2 h ago"),
        (86_400, "1 day ago"),
        (3 * 86_400, "3 days ago"),
        (30 * 86_400, "April 4, 2026"),
    ],
)
def test_ago(seconds: int, words: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), now=NOW) == words


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (None, UNKNOWN),
        (0, "0 ms"),
        (999.4, "999 ms"),
        (1500, "1.5 s"),
        (42_000, "42 s"),
        (125_000, "2 min 5 s"),
        (7_500_000, "2 h 5 min"),
    ],
)
def test_durations(milliseconds: float | None, words: str) -> None:
    assert duration(milliseconds) == words


@pytest.mark.parametrize(
    ("dollars", "words"),
    [
        (None, UNKNOWN),
        (0.0, "$0.00"),
        (12.345, "$12.35"),
        (0.0042, "$0.0042"),
        (0.000001, "$0.000001"),
    ],
)
def test_money(dollars: float | None, words: str) -> None:
    assert money(dollars) == words


def test_an_unknown_price_is_not_zero() -> None:
    assert money(0.0, known=False) == UNKNOWN
    assert count(None) == UNKNOWN


def test_counts_and_sizes() -> None:
    assert [count(n) for n in (0, 9999, 12_345, 234_567, 2_500_000)] == [
        *("0", "9,999", "12.3k", "235k", "2.5M"),
    ]
    assert [size(n) for n in (12, 1500, 20_000_000)] == ["12 B", "1.5 kB", "20 MB"]


@given(st.floats(min_value=0, max_value=1e12, allow_nan=False))
def test_no_number_breaks_the_words(number: float) -> None:
    assert duration(number)
    assert money(number).startswith("$")
    assert count(int(number))
