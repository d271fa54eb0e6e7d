"""What is decided after a failed call, as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.attempts import (
    AttemptState,
    Backoff,
    Compact,
    Fallback,
    Retry,
    Rotate,
    Step,
    Stop,
    Truncate,
    attempts_limit,
    next_step,
)
from agents.core.errors import ProviderError

START = AttemptState()
OTHERS = replace(START, credentials_left=2, models_left=1, larger_left=1)
MODELS = replace(START, models_left=1)
REASONS = (
    "auth", "auth_permanent", "billing", "rate_limit", "overloaded", "timeout", "format",
    "model_not_found", "session_expired", "context_overflow", "empty_response", "unclassified",
    "aborted", "budget",
)  # fmt: skip


def decide(state: AttemptState, reason: Any, **facts: Any) -> Step:
    return next_step(state, ProviderError("x", reason=reason, **facts))


def test_it_works() -> None:
    assert isinstance(decide(OTHERS, "auth"), Rotate)


TABLE = [
    # reason, state, facts of the error, step
    ("auth", START, {}, Stop),
    ("auth", OTHERS, {}, Rotate),
    ("auth", MODELS, {}, Fallback),
    ("auth", replace(OTHERS, refreshable=True), {}, Retry),
    ("auth", replace(OTHERS, refreshable=True, refreshed=True), {}, Rotate),
    ("auth", replace(OTHERS, pinned=True), {}, Fallback),
    ("auth_permanent", replace(OTHERS, refreshable=True), {}, Rotate),
    ("auth_permanent", MODELS, {}, Fallback),
    ("auth_permanent", START, {}, Stop),
    ("billing", OTHERS, {}, Rotate),
    ("billing", MODELS, {}, Stop),
    ("billing", START, {}, Stop),
    ("rate_limit", START, {}, Backoff),
    ("rate_limit", START, {"retry_after": 1.0}, Backoff),
    ("rate_limit", START, {"retry_after": 600.0}, Stop),
    ("rate_limit", replace(START, waits=3), {}, Stop),
    ("rate_limit", OTHERS, {}, Rotate),
    ("rate_limit", OTHERS, {"retry_after": 1.0}, Backoff),
    ("rate_limit", OTHERS, {"retry_after": 30.0}, Rotate),
    ("rate_limit", replace(OTHERS, waits=1), {"retry_after": 1.0}, Rotate),
    ("rate_limit", replace(OTHERS, rotations=1), {}, Fallback),
    ("rate_limit", replace(OTHERS, rotations=1, models_left=0), {}, Rotate),
    ("overloaded", START, {}, Backoff),
    ("overloaded", replace(START, waits=4), {}, Stop),
    ("overloaded", OTHERS, {}, Backoff),
    ("overloaded", replace(OTHERS, waits=2), {}, Rotate),
    ("overloaded", replace(OTHERS, waits=2, rotations=1), {}, Fallback),
    ("timeout", START, {}, Retry),
    ("timeout", replace(START, retries=1), {}, Retry),
    ("timeout", replace(START, retries=2), {}, Stop),
    ("timeout", replace(OTHERS, retries=1), {}, Rotate),
    ("timeout", replace(MODELS, retries=1), {}, Fallback),
    ("format", OTHERS, {}, Fallback),
    ("format", replace(OTHERS, models_left=0), {}, Stop),
    ("format", replace(START, repairable=True), {"thinking_refused": True}, Retry),
    ("format", replace(START, repairable=True, repaired=True), {"thinking_refused": True}, Stop),
    ("format", START, {"thinking_refused": True}, Stop),
    ("format", OTHERS, {"image_refused": True}, Stop),
    ("model_not_found", OTHERS, {}, Fallback),
    ("model_not_found", replace(START, credentials_left=1), {}, Rotate),
    ("model_not_found", START, {}, Stop),
    ("session_expired", START, {}, Retry),
    ("session_expired", replace(OTHERS, retries=1), {}, Rotate),
    ("context_overflow", OTHERS, {}, Compact),
    ("context_overflow", replace(OTHERS, compactions=3), {}, Truncate),
    ("context_overflow", replace(OTHERS, compactable=False), {}, Truncate),
    ("context_overflow", replace(OTHERS, compactions=3, truncated=True), {}, Fallback),
    ("context_overflow", replace(MODELS, compactions=3, truncated=True), {}, Stop),
    ("empty_response", START, {}, Retry),
    ("empty_response", replace(MODELS, retries=2), {}, Fallback),
    ("empty_response", replace(START, retries=2), {}, Stop),
    ("unclassified", MODELS, {}, Retry),
    ("unclassified", replace(MODELS, retries=1), {}, Fallback),
    ("unclassified", replace(START, retries=1), {}, Stop),
    ("aborted", OTHERS, {}, Stop),
    ("budget", OTHERS, {}, Stop),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "state", "facts", "step"), TABLE)
def test_each_reason_in_each_situation(
    reason: str, state: AttemptState, facts: dict[str, Any], step: type[Step]
) -> None:
    assert isinstance(decide(state, reason, **facts), step)


def test_a_token_is_renewed_and_reasoning_left_out_by_name() -> None:
    renewed = decide(replace(START, refreshable=True), "auth")
    repaired = decide(replace(START, repairable=True), "format", thinking_refused=True)
    assert isinstance(renewed, Retry)
    assert renewed.change == "refresh"
    assert isinstance(repaired, Retry)
    assert repaired.change == "repair"


def test_waits_grow_and_a_stated_one_is_kept() -> None:
    waits = [decide(replace(START, waits=count), "rate_limit") for count in range(3)]
    assert [step.wait for step in waits if isinstance(step, Backoff)] == [1.0, 2.0, 4.0]
    stated = decide(replace(START, waits=1), "rate_limit", retry_after=7.0)
    assert isinstance(stated, Backoff)
    assert stated.wait == 7.0


def test_the_overflow_goes_to_a_larger_window_only() -> None:
    step = decide(replace(OTHERS, compactable=False, truncated=True), "context_overflow")
    assert isinstance(step, Fallback)
    assert step.larger


@pytest.mark.parametrize(
    ("credentials", "limit"), [(0, 32), (1, 32), (5, 64), (17, 160), (99, 160)]
)
def test_the_limit_of_attempts(credentials: int, limit: int) -> None:
    assert attempts_limit(credentials) == limit


@pytest.mark.parametrize("reason", ["auth", "rate_limit", "overloaded", "billing", "unclassified"])
def test_at_the_limit_only_another_model_is_left(reason: str) -> None:
    worn = replace(OTHERS, attempts=32, limit=32)
    assert isinstance(decide(worn, reason), Fallback)
    assert isinstance(decide(replace(worn, models_left=0), reason), Stop)


@pytest.mark.parametrize("reason", ["timeout", "model_not_found", "format", "session_expired"])
def test_at_the_limit_some_faults_end_it(reason: str) -> None:
    assert isinstance(decide(replace(OTHERS, attempts=32, limit=32), reason), Stop)


states = st.builds(
    AttemptState,
    attempts=st.integers(1, 200),
    limit=st.integers(32, 160),
    retries=st.integers(0, 5),
    waits=st.integers(0, 6),
    rotations=st.integers(0, 5),
    credentials_left=st.integers(0, 5),
    models_left=st.integers(0, 3),
    larger_left=st.integers(0, 3),
    compactions=st.integers(0, 4),
    compactable=st.booleans(),
    truncated=st.booleans(),
    repaired=st.booleans(),
    repairable=st.booleans(),
    refreshed=st.booleans(),
    refreshable=st.booleans(),
    pinned=st.booleans(),
)
reasons = st.sampled_from(REASONS)
asked = st.none() | st.floats(0, 10_000)


@given(states, reasons, asked)
def test_nothing_is_promised_that_is_not_there(
    state: AttemptState, reason: str, retry_after: float | None
) -> None:
    step = decide(state, reason, retry_after=retry_after)
    if isinstance(step, Rotate):
        assert state.credentials_left
        assert not state.pinned
    if isinstance(step, Fallback):
        assert state.larger_left if step.larger else state.models_left
    if isinstance(step, Retry | Backoff):
        assert step.wait <= state.policy.longest_wait
    assert step.because


@given(reasons, st.integers(0, 4), st.integers(0, 3), asked)
def test_every_story_ends(
    reason: str, credentials: int, models: int, retry_after: float | None
) -> None:
    """The same failure for ever: the decisions lead to an end."""
    state = replace(START, credentials_left=credentials, models_left=models, larger_left=models)
    for _ in range(400):
        step = decide(state, reason, retry_after=retry_after)
        if isinstance(step, Stop):
            return
        state = _applied(state, step, credentials)
    raise AssertionError(f"no end: {state}")


def _applied(state: AttemptState, step: Step, credentials: int) -> AttemptState:
    again = replace(state, attempts=state.attempts + 1)
    match step:
        case Retry():
            return replace(
                again,
                retries=state.retries + 1,
                repaired=state.repaired or step.change == "repair",
                refreshed=state.refreshed or step.change == "refresh",
            )
        case Backoff():
            return replace(again, waits=state.waits + 1)
        case Rotate():
            left, turned = state.credentials_left - 1, state.rotations + 1
            return replace(again, credentials_left=left, rotations=turned, retries=0, waits=0)
        case Compact():
            return replace(again, compactions=state.compactions + 1)
        case Truncate():
            return replace(again, truncated=True)
        case _:
            left = state.models_left - 1
            return replace(START, credentials_left=credentials, models_left=left, larger_left=left)
