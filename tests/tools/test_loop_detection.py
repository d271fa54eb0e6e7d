"""Agents that go round in circles are noticed, refused, and in the end stopped."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest

from agents.core.messages import AssistantMessage, Text, ToolCall, ToolResultMessage, UserMessage
from agents.core.tools import ToolResult
from tools.loop_detection import (
    DENIED_REASON,
    Finding,
    LoopDetector,
    LoopSettings,
    denial_text,
    finding_details,
    hint_text,
)

KNOWN = frozenset({"read", "exec", "write", "process"})
_ids = count()


def call(name: str = "read", **arguments: Any) -> ToolCall:
    """A call with an id of its own."""
    return ToolCall(f"c{next(_ids)}", name, arguments)


def step(detector: LoopDetector, made: ToolCall, result: str = "same") -> str:
    """Judges and, when it may, runs a call; the level of what was noticed, "" for nothing."""
    found = detector.judge(made)
    if found is not None:
        detector.observe(made, ToolResult.text(denial_text(found), is_error=True))
        return found.level
    seen = detector.observe(made, ToolResult.text(result))
    return seen.level if seen else ""


def levels(detector: LoopDetector, calls: list[ToolCall], result: str = "same") -> list[str]:
    """What each of the calls led to."""
    return [step(detector, one, result) for one in calls]


@pytest.fixture
def detector() -> LoopDetector:
    """With the default thresholds."""
    return LoopDetector(LoopSettings(), KNOWN)


def test_it_works(detector: LoopDetector) -> None:
    """The tenth identical call gets a hint, the twentieth is refused, the thirtieth ends all."""
    found = levels(detector, [call(path="a") for _ in range(30)])
    assert found == [""] * 9 + ["warn"] + [""] * 9 + ["block"] * 10 + ["break"]


def test_another_result_is_progress(detector: LoopDetector) -> None:
    """A call whose result changes may go on for ever."""
    for number in range(100):
        assert step(detector, call(path="a"), str(number)) == ""


def test_other_arguments_are_another_call(detector: LoopDetector) -> None:
    """Reading a hundred files is work, even if they are all empty."""
    assert not any(levels(detector, [call(path=str(number)) for number in range(100)]))


def test_calls_between(detector: LoopDetector) -> None:
    """They do not hide a repetition, as long as it stays within the remembered calls."""
    found: list[str] = []
    for number in range(12):
        found.append(step(detector, call("exec", command="make")))
        step(detector, call("write", path="x", text=str(number)), str(number))
    assert found.index("warn") == 9
    assert "block" not in found


def test_work_between_never_blocks(detector: LoopDetector) -> None:
    """Edit and test, edit and test: the same failure may come again and again."""
    for number in range(100):
        assert step(detector, call("exec", command="make")) in ("", "warn")
        assert step(detector, call("write", path="x", text=str(number)), str(number)) == ""


@pytest.mark.parametrize("period", [2, 3, 4])
def test_ping_pong(detector: LoopDetector, period: int) -> None:
    """A fixed round of a few calls, each with its same result."""
    calls = [call(path=str(number % period)) for number in range(30)]
    found = levels(detector, calls)
    assert "warn" in found[:11]
    assert found.index("block") == 19
    assert found[-1] == "break"


def test_ping_pong_with_progress(detector: LoopDetector) -> None:
    """Two calls in turn whose results change are no loop."""
    for number in range(60):
        assert step(detector, call(path=str(number % 2)), str(number)) == ""


def test_polling(detector: LoopDetector) -> None:
    """Asking again and again how something goes; how long it waits makes no other call."""
    calls = [call("process", action="poll", sessionId="s", timeout=n) for n in range(30)]
    found = levels(detector, calls, "still running")
    assert (found.index("warn"), found.index("block"), found[-1]) == (9, 19, "break")


def test_durations_do_not_count(detector: LoopDetector) -> None:
    """A result that differs only in how long it took is the same."""
    for number in range(9):
        made = call("exec", command="true")
        assert detector.judge(made) is None
        assert detector.observe(made, ToolResult.text("ok", durationMs=number, pid=number)) is None
    made = call("exec", command="true")
    found = detector.observe(made, ToolResult.text("ok", durationMs=99))
    assert found == Finding("repeat", "warn", "exec", 10)


def test_many_at_once(detector: LoopDetector) -> None:
    """Identical calls of one answer count before any of them has a result."""
    batch = [call(path="a") for _ in range(32)]
    found = [detector.judge(one) for one in batch]
    assert [one.level if one else "" for one in found] == (
        [""] * 19 + ["block"] * 10 + ["break"] * 3
    )


def test_unknown_tools(detector: LoopDetector) -> None:
    """Ten calls in a row of tools that do not exist end the turn, whatever their names."""
    for number in range(9):
        assert step(detector, call(f"tool{number}"), f"no tool {number}") == ""
    assert step(detector, call("another"), "no tool") == "break"


def test_an_unknown_tool_now_and_then(detector: LoopDetector) -> None:
    """A model that finds back to real tools goes on."""
    for number in range(60):
        name = "read" if number % 9 == 8 else f"tool{number}"
        assert step(detector, call(name, path=str(number)), str(number)) == ""


def test_after_a_compaction(detector: LoopDetector) -> None:
    """Three times the same directly after it: the model has forgotten that it tried."""
    detector.compacted()
    assert levels(detector, [call(path="a") for _ in range(3)]) == ["", "", "break"]


def test_work_after_a_compaction(detector: LoopDetector) -> None:
    """The guard ends with the first call that is another."""
    detector.compacted()
    calls = [call(path="a"), call(path="b"), call(path="b"), call(path="b"), call(path="b")]
    assert not any(levels(detector, calls))


def test_polling_after_a_compaction(detector: LoopDetector) -> None:
    """Waiting for something is no forgetting."""
    detector.compacted()
    calls = [call("process", action="poll", sessionId="s") for _ in range(5)]
    assert not any(levels(detector, calls))


@pytest.mark.parametrize(
    ("off", "calls"),
    [
        ({"repeat": False, "ping_pong": False}, [("read", {"path": "a"})]),
        ({"poll": False, "ping_pong": False}, [("process", {"action": "poll"})]),
        ({"ping_pong": False, "repeat": False}, [("read", {"path": "a"}), ("read", {"path": "b"})]),
    ],
)
def test_switched_off(off: Mapping[str, Any], calls: list[tuple[str, dict[str, Any]]]) -> None:
    """A kind of loop that is not looked for is not found."""
    detector = LoopDetector(LoopSettings(**off), KNOWN)
    for number in range(50):
        name, arguments = calls[number % len(calls)]
        assert step(detector, call(name, **arguments)) == ""


def test_thresholds_in_the_wrong_order() -> None:
    """They are moved apart: the hint before the refusal, the refusal before the end."""
    settings = LoopSettings(warning=5, block=5, breaker=2).ordered()
    assert (settings.warning, settings.block, settings.breaker) == (5, 6, 7)
    found = levels(LoopDetector(settings, KNOWN), [call(path="a") for _ in range(7)])
    assert found == ["", "", "", "", "warn", "block", "break"]


def test_after_an_interruption() -> None:
    """What a run did before its worker was killed is counted on."""
    messages: list[Any] = [UserMessage("go")]
    for number in range(21):
        made = call(path="a")
        refused = number >= 19
        details = {"deniedReason": DENIED_REASON} if refused else None
        messages.append(AssistantMessage((made,)))
        messages.append(
            ToolResultMessage(
                made.id, "read", (Text("no" if refused else "same"),), details=details
            )
        )
    detector = LoopDetector(LoopSettings(), KNOWN)
    detector.replay(messages)
    assert levels(detector, [call(path="a") for _ in range(9)]) == ["block"] * 8 + ["break"]
    fresh = LoopDetector(LoopSettings(), KNOWN)
    fresh.replay([*messages, UserMessage("something else")])
    assert step(fresh, call(path="b")) == ""


def test_the_words() -> None:
    """The model is told what is wrong and what to do; the record says why it was refused."""
    finding = Finding("repeat", "block", "read", 20)
    assert "20" in hint_text(finding)
    assert "read" in hint_text(finding)
    assert denial_text(finding).startswith("Not run: this would be call 20 of read")
    assert finding_details(finding)["deniedReason"] == "tool-loop"
