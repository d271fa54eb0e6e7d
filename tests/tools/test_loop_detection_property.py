"""What holds for every sequence of calls and results."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.core.messages import ToolCall
from agents.core.tools import ToolResult
from tools.loop_detection import MOST_SIGNATURES, LoopDetector, LoopSettings
from tools.loop_signatures import call_signature, result_signature

NAMES = st.sampled_from(["read", "exec", "process", "nowhere"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
STEPS = st.lists(
    st.tuples(NAMES, st.sampled_from("ab"), st.sampled_from("xy")), min_size=1, max_size=120
)
SETTINGS = st.builds(
    LoopSettings,
    history_size=st.integers(1, 60),
    warning=st.integers(1, 12),
    block=st.integers(1, 25),
    breaker=st.integers(1, 40),
    unknown_tool=st.integers(1, 20),
    post_compaction=st.integers(0, 4),
    repeat=st.booleans(),
    poll=st.booleans(),
    ping_pong=st.booleans(),
)
KNOWN = frozenset({"read", "exec", "process"})


def test_it_works() -> None:
    """The strategies make what a detector takes."""
    found = _play(LoopDetector(LoopSettings(), KNOWN), [("read", "a", "x")] * 30)
    assert found[-1] == "break"


def _play(detector: LoopDetector, steps: list[tuple[str, str, str]]) -> list[str]:
    """The level of each step."""
    found: list[str] = []
    for number, (name, argument, result) in enumerate(steps):
        made = ToolCall(f"c{number}", name, {"path": argument})
        refused = detector.judge(made)
        seen = detector.observe(made, ToolResult.text("no" if refused else result))
        finding = refused or seen
        found.append(finding.level if finding else "")
    return found


@given(SETTINGS, STEPS)
def test_nothing_is_refused_early(
    settings: LoopSettings, steps: list[tuple[str, str, str]]
) -> None:
    """No call is refused before `block` calls, nothing ends before the smallest such number."""
    ordered = settings.ordered()
    found = _play(LoopDetector(settings, KNOWN), steps)
    assert "block" not in found[: ordered.block - 1]
    assert "break" not in found[: min(ordered.breaker, ordered.unknown_tool) - 1]


@given(SETTINGS, st.integers(1, 60))
def test_a_stubborn_model_always_ends(settings: LoopSettings, more: int) -> None:
    """Whatever the thresholds: the same call again and again ends exactly at the breaker."""
    ordered = LoopSettings(
        **{**{name: getattr(settings, name) for name in settings.__dataclass_fields__},
           "repeat": True}
    ).ordered()  # fmt: skip
    found = _play(LoopDetector(ordered, KNOWN), [("read", "a", "x")] * (ordered.breaker + more))
    assert found.index("break") == ordered.breaker - 1
    assert found.index("block") == ordered.block - 1


@given(st.lists(st.text(string.ascii_letters, min_size=1), unique=True, max_size=80))
def test_new_calls_are_never_a_loop(names: list[str]) -> None:
    """Calls that differ are let through without a word."""
    assert not any(_play(LoopDetector(LoopSettings(), KNOWN), [("read", n, "x") for n in names]))


@given(STEPS)
def test_nothing_grows_without_end(steps: list[tuple[str, str, str]]) -> None:
    """However long a run is, no more is remembered than stated."""
    detector = LoopDetector(LoopSettings(warning=1), KNOWN)
    _play(detector, steps)
    for number in range(2 * MOST_SIGNATURES):
        _play(detector, [("read", str(number), "x")])
    assert len(detector._warned) <= MOST_SIGNATURES
    assert len(detector._history) <= 30
    assert not detector._blocked


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_the_order_of_keys_does_not_count(arguments: dict[str, Any]) -> None:
    """A call is the same call however its arguments are written down."""
    turned = dict(reversed(list(arguments.items())))
    assert call_signature("t", arguments) == call_signature("t", turned)
    assert call_signature("t", arguments) != call_signature("u", arguments)


@given(st.text(), st.text())
def test_results_differ_by_what_they_say(one: str, other: str) -> None:
    """Equal texts are equal results, others are not; an error is another result."""
    same = result_signature(ToolResult.text(one)) == result_signature(ToolResult.text(other))
    assert same == (one == other)
    assert result_signature(ToolResult.text(one)) != result_signature(
        ToolResult.text(one, is_error=True)
    )
