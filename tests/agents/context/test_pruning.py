"""Old tool results are made smaller in the request; between rests it stays the same."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agents.context.pruning import IMAGE_NOTE, PruningRules, pruned
from agents.core.messages import (
    AssistantMessage,
    Image,
    Message,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    blocks_text,
)

RULES = PruningRules()
MINUTE = 60_000


def work(count: int, *, size: int = 20_000, name: str = "read", at: int = 0) -> list[Message]:
    """A turn with so many calls, a second apart."""
    found: list[Message] = [UserMessage("go", timestamp=at)]
    for number in range(count):
        now = at + number * 1000
        used = ToolCall(f"{at}-{number}", name, {})
        found.append(AssistantMessage((used,), stop_reason="toolUse", timestamp=now))
        text = (Text(f"{number}" + "r" * size + "END"),)
        found.append(ToolResultMessage(used.id, name, text, timestamp=now + 1))
    found.append(AssistantMessage((Text("done"),), timestamp=at + count * 1000))
    return found


def rested(count: int = 10, **fields: object) -> list[Message]:
    """Work, a long pause, and a new question."""
    return [*work(count, **fields), UserMessage("more?", timestamp=20 * MINUTE)]  # type: ignore[arg-type]


def texts(messages: object) -> list[str]:
    """The texts of the tool results."""
    return [blocks_text(m.content) for m in messages if isinstance(m, ToolResultMessage)]  # type: ignore[attr-defined]


def test_it_works() -> None:
    """Oldest first: head, tail and a note are left; the newest answers keep theirs."""
    found = pruned(rested(), replace(RULES, clears=False), window=50_000)
    shown = texts(found.messages)
    assert shown[0].startswith("0rrr")
    assert "END\n[Shortened: the first 1500 and the last 1500 of 20004 characters.]" in shown[0]
    assert len(shown[-1]) == len(shown[-2]) == 20_004
    assert found.trimmed
    assert not found.cleared


def test_results_are_cleared_when_that_is_not_enough() -> None:
    """Then a placeholder stands there, until half of the window is free again."""
    found = pruned(rested(30, size=3_900), RULES, window=20_000)
    assert texts(found.messages)[0] == RULES.placeholder
    assert found.cleared


def test_without_a_rest_nothing_happens() -> None:
    """The service still has it in its cache."""
    messages = work(10)
    assert pruned(messages, RULES, window=50_000).messages is messages


def test_what_fits_easily_is_left_alone() -> None:
    """Less than the soft ratio of the window."""
    messages = rested()
    assert pruned(messages, RULES, window=1_000_000).messages is messages


def test_tools_can_be_left_out() -> None:
    """Patterns, in any case; deny wins."""
    messages = rested(name="Web_Fetch")
    for rules in (replace(RULES, deny=("web_*",)), replace(RULES, allow=("read",))):
        assert pruned(messages, rules, window=50_000).messages is messages
    both = replace(RULES, allow=("WEB_*",))
    assert pruned(messages, both, window=50_000).messages is not messages


def test_images_are_named() -> None:
    """A picture in an old result becomes a word."""
    messages = rested()
    first = messages[2]
    assert isinstance(first, ToolResultMessage)
    messages[2] = replace(first, content=(*first.content, Image("AAAA", "image/png")))
    shown = pruned(messages, replace(RULES, clears=False), window=50_000).messages[2]
    assert blocks_text(shown.content).endswith(IMAGE_NOTE)  # type: ignore[arg-type]


@given(st.integers(min_value=0, max_value=8), st.integers(min_value=1, max_value=6))
def test_between_rests_the_beginning_stays_the_same(later: int, calls: int) -> None:
    """Whatever is added without another rest, what was sent before is sent again."""
    messages = rested(6)
    before = list(pruned(messages, RULES, window=40_000).messages)
    grown = [*messages]
    for number in range(later):
        grown += work(calls, at=20 * MINUTE + 1000 + number * 10_000)
    after = list(pruned(grown, RULES, window=40_000).messages)
    assert after[: len(before)] == before


@given(
    st.lists(st.integers(min_value=0, max_value=9), max_size=6), st.floats(0, 1), st.floats(0, 1)
)
def test_only_results_change_and_never_the_input(
    sizes: list[int], soft: float, hard: float
) -> None:
    """Order, number, roles and ids are those of the input, which stays as it was."""
    messages: list[Message] = []
    for number, calls in enumerate(sizes):
        messages += work(calls, at=number * 10 * MINUTE, size=5_000)
    copy = list(messages)
    rules = replace(RULES, soft_ratio=soft, hard_ratio=hard, min_prunable_chars=0)
    found = pruned(messages, rules, window=5_000)
    assert messages == copy
    assert len(found.messages) == len(messages)
    for old, new in zip(messages, found.messages, strict=True):
        if not isinstance(old, ToolResultMessage):
            assert new is old
        else:
            assert (new.role, new.timestamp) == (old.role, old.timestamp)
