"""The arithmetic of the bench: percentiles, verdicts, the table, memory of a process.

Figures themselves are never asserted: they depend on the machine.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.__main__ import record_write
from tests.bench.figures import Figure, growth, percentile, spread, table
from tests.bench.order import MEASURES
from tests.bench.processes import pss_parse
from tests.bench.stand import document_make


def test_it_works() -> None:
    fast = Figure("turn", 12.34, "ms", 35.0, notes={"p90": 20})
    slow = Figure("turns a second", 12.0, "", 40.0, "least")
    head, first, second = table([fast, slow])
    assert head.split() == ["measure", "value", "goal", "notes"]
    assert first.split() == ["turn", "12.34", "ms", "≤", "35", "ms", "ok", "p90", "20"]
    assert second.split()[-3:] == ["≥", "40", "under"]


@pytest.mark.parametrize(
    ("value", "at", "verdict"),
    [(35.0, "most", "ok"), (35.1, "most", "over"), (35.0, "least", "ok"), (34.9, "least", "under")],
)
def test_a_goal_that_is_just_met_is_met(value: float, at: str, verdict: str) -> None:
    assert Figure("x", value, "ms", 35.0, at).verdict == verdict  # type: ignore[arg-type]


def test_without_a_goal_there_is_no_verdict() -> None:
    assert Figure("x", 1.0, "ms").verdict == ""


def test_percentile_takes_a_measured_value() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([1.0], 0.99) == 1.0
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_spread_is_in_milliseconds() -> None:
    assert spread([0.010, 0.020, 0.030]) == {"n": 3, "p50": 20.0, "p90": 30.0, "max": 30.0}


def test_growth_compares_the_ends() -> None:
    assert growth([1.0] * 20 + [9.0] * 50 + [1.5] * 20) == 1.5


def test_pss_is_read_as_megabytes() -> None:
    rollup = "00400000-7fff rollup\nRss:     4096 kB\nPss:     2048 kB\nPss_Anon: 1024 kB\n"
    assert pss_parse(rollup) == 2.0
    assert pss_parse("nothing") == 0.0


def test_record_is_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "new" / "record.jsonl"
    record_write(path, [Figure("x", 1.23456, "ms", 2.0)])
    machine, figure = map(json.loads, path.read_text().splitlines())
    assert machine["machine"]["cores"] > 0
    assert figure == {
        "name": "x",
        "value": 1.235,
        "unit": "ms",
        "goal": 2.0,
        "at": "most",
        "verdict": "ok",
        "notes": {},
    }


def test_waiting_comes_last() -> None:
    # It leaves turns behind that never end.
    assert list(MEASURES)[-1] == "waiting"


@pytest.mark.django_db
def test_the_configuration_is_accepted() -> None:
    from agents.config.services import config_validate

    report = config_validate(text=json.dumps(document_make("http://127.0.0.1:1/v1")))
    assert report.ok, report.errors
