"""The output of a command: bounded, readable, and shown while it grows."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.messages import blocks_text
from agents.core.tools import ToolResult
from tests.tools.conftest import Call
from tools.builtin.exec.output import MOST_CHARACTERS, Output, clean_output
from tools.builtin.exec.tool import EXEC


def run(call: Call, command: str) -> str:
    return blocks_text(call(EXEC, command=command).content)


def test_it_works(call: Call) -> None:
    shown = run(call, "seq 1 100000")
    assert len(shown) <= MOST_CHARACTERS
    assert shown.startswith("1\n2\n3\n")
    assert shown.endswith("\n99999\n100000")
    assert shown.count("left out") == 1


def test_megabytes_on_one_line_keep_both_ends(call: Call) -> None:
    shown = run(call, "printf begin; head -c 5000000 /dev/zero | tr '\\0' x; printf end")
    assert len(shown) <= MOST_CHARACTERS
    assert shown.startswith("beginxxx")
    assert shown.endswith("xxxend")
    assert "left out" in shown


def test_a_cut_never_falls_into_a_line(call: Call) -> None:
    shown = run(call, "for i in $(seq 1 20000); do echo line-$i-€€€€€€€€€€; done")
    lines = [line for line in shown.split("\n") if line and "left out" not in line]
    assert all(line.startswith("line-") and line.endswith("-€€€€€€€€€€") for line in lines)


def test_colours_do_not_hide_where_output_was_dropped() -> None:
    output = Output()
    for number in range(100_000):
        output.add(b"\x1b[1;31mline-\x1b[0m%06d-end\n" % number)
    lines = [line for line in output.text().split("\n") if line and "left out" not in line]
    assert lines[0] == "line-000000-end"
    assert lines[-1] == "line-099999-end"
    whole = [line for line in lines if len(line) == len(lines[0]) and line.startswith("line-")]
    assert whole == lines


def test_two_hundred_thousand_lines(call: Call) -> None:
    shown = run(call, "yes line | head -n 200000")
    assert len(shown) <= MOST_CHARACTERS
    assert set(shown.split("\n")) - {"line", ""} != set()


def test_nul_bytes_and_noise_are_cleaned(call: Call) -> None:
    assert run(call, "head -c 1000000 /dev/zero") == "(no output)"
    noise = run(call, "printf 'a\\0b\\1c\\377\\376\\375d\\033[31mred\\033[0m'")
    assert noise == "abc\ufffddred"
    assert "\0" not in run(call, "head -c 300000 /dev/urandom")


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07text", "text"),
        (b"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1b[2K\x1b[1Gdone", "done"),
        (b"\x1b(Bplain\x1b=", "plain"),
        (b"\x1bPq#0\x1b\\after", "after"),
        (b"\xc2\x9b31mred", "red"),
        (b"10%\r20%\r\nnext", "10%\n20%\nnext"),
        (b"b\x08bo\x08old", "bold"),
        (b"bell\x07 tab\t", "bell tab\t"),
        (b"\xff\xfe\xfdx", "\ufffdx"),
        ("€ 😀".encode(), "€ 😀"),
    ],
)
def test_terminal_codes_are_removed(printed: bytes, shown: str) -> None:
    assert clean_output(printed) == shown


@given(st.binary(max_size=300))
def test_clean_output_is_clean(data: bytes) -> None:
    text = clean_output(data)
    assert all(char in "\t\n" or char.isprintable() or ord(char) >= 160 for char in text)
    text.encode()


@given(st.lists(st.binary(min_size=1, max_size=50_000), max_size=5), st.integers(1, 60))
def test_the_text_is_bounded_and_small_output_is_whole(parts: list[bytes], times: int) -> None:
    output, whole = Output(), b"".join(parts) * times
    for _ in range(times):
        for part in parts:
            output.add(part)
    assert len(output.text()) <= MOST_CHARACTERS
    if len(clean_output(whole)) <= MOST_CHARACTERS and len(whole) < 800_000:
        assert output.text() == clean_output(whole)
    assert clean_output(whole[-8_000:])[-2_000:] == output.tail()


def test_output_is_shown_while_it_grows(call: Call, workspace: object) -> None:
    updates: list[ToolResult] = []
    call(EXEC, updates, command="for i in 1 2 3 4 5 6; do echo $i; sleep 0.15; done")
    texts = [blocks_text(update.content) for update in updates]
    assert texts
    assert texts[0].startswith("1\n")
    assert texts == sorted(texts, key=len)
    assert all(update.details["status"] == "running" for update in updates)


class Moments(list[ToolResult]):
    """Updates that note when each of them came."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[float] = []

    def append(self, update: ToolResult) -> None:
        self.at.append(time.monotonic())
        super().append(update)


def test_updates_leave_a_pause_between_them(call: Call) -> None:
    """Output without end shows ten updates a second at most, however slow the machine is."""
    updates = Moments()
    call(EXEC, updates, command="timeout 0.6 yes flood")
    assert updates
    # A timer may be early by as much as the clock's resolution.
    assert all(later - earlier > 0.095 for earlier, later in pairwise(updates.at))
    assert all(len(blocks_text(update.content)) <= 2_000 for update in updates)
