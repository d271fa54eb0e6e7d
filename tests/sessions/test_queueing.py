"""Which waiting messages make a turn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sessions.queueing import (
    MODES,
    QueuePolicy,
    Waiting,
    batch_next,
    mode_named,
    overflow_line,
    prompt_text,
)


def waiting(number: int, **changes: object) -> Waiting:
    fields: dict[str, object] = {
        "id": number,
        "person": "ann",
        "text": f"message {number}",
        "mode": "collect",
    }
    return Waiting(**{**fields, **changes})  # type: ignore[arg-type]


def test_it_works() -> None:
    batch = batch_next([waiting(1), waiting(2), waiting(3)], QueuePolicy())
    assert batch is not None
    assert [batch.lead.id, *(item.id for item in batch.merged)] == [1, 2, 3]
    text = prompt_text(batch)
    assert text.startswith("[Queued messages while agent was busy]")
    assert text.index("Queued #1") < text.index("message 1") < text.index("Queued #2")


def test_one_message_is_its_own_prompt() -> None:
    batch = batch_next([waiting(1)], QueuePolicy())
    assert batch is not None
    assert prompt_text(batch) == "message 1"


def test_followup_takes_one() -> None:
    batch = batch_next([waiting(1, mode="followup"), waiting(2, mode="followup")], QueuePolicy())
    assert batch is not None
    assert batch.merged == []


def test_rights_are_never_mixed() -> None:
    batch = batch_next([waiting(1), waiting(2, person="bob"), waiting(3)], QueuePolicy())
    assert batch is not None
    assert batch.lead.id == 1
    assert batch.merged == []


def test_a_message_with_its_own_settings_stands_alone() -> None:
    batch = batch_next([waiting(1), waiting(2, alone=True), waiting(3)], QueuePolicy())
    assert batch is not None
    assert batch.merged == []


def test_overflow_is_summarised_and_keeps_order() -> None:
    batch = batch_next([waiting(n) for n in range(1, 6)], QueuePolicy(cap=2))
    assert batch is not None
    assert [item.id for item in batch.overflow] == [1, 2, 3]
    assert [batch.lead.id, *(item.id for item in batch.merged)] == [4, 5]
    assert "3 earlier messages" in prompt_text(batch)


def test_drop_old_refuses_the_oldest() -> None:
    batch = batch_next([waiting(n) for n in range(1, 4)], QueuePolicy(cap=2, drop="old"))
    assert batch is not None
    assert [item.id for item in batch.refused] == [1]
    assert batch.overflow == ()


def test_old_mode_names_are_known() -> None:
    assert mode_named("steer-backlog") == "steer"
    assert mode_named(" Collect ") == "collect"
    assert mode_named("loudly") is None


def test_the_summary_is_short() -> None:
    line = overflow_line([waiting(1, text="word " * 200)])
    assert len(line.splitlines()[-1]) <= 162


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(MODES), st.booleans()), max_size=40),
    st.integers(1, 25),
    st.sampled_from(["summarize", "old", "new"]),
)
def test_every_message_gets_one_place(
    rows: list[tuple[str, str, bool]], cap: int, drop: str
) -> None:
    left = [
        waiting(number, person=person, mode=mode, alone=alone)
        for number, (person, mode, alone) in enumerate(rows)
    ]
    policy = QueuePolicy(cap=cap, drop=drop)  # type: ignore[arg-type]
    seen: list[int] = []
    while (batch := batch_next(left, policy)) is not None:
        taken = [*batch.overflow, *batch.refused, batch.lead, *batch.merged]
        assert {item.person for item in (batch.lead, *batch.merged, *batch.overflow)} == {
            batch.lead.person
        }
        ids = {item.id for item in taken}
        assert len(ids) == len(taken)
        seen.extend(ids)
        left = [item for item in left if item.id not in ids]
    assert sorted(seen) == list(range(len(rows)))
