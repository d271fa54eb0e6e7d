"""How long a credential rests, for any order of failures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.errors import ProviderReason
from agents.credentials.cooldowns import (
    AUTH_REFUSALS,
    MODEL_REASONS,
    WHOLE_REASONS,
    Schedule,
    State,
    failed,
    may_probe,
    scope,
    succeeded,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAN = Schedule()
reasons = st.sampled_from(sorted(MODEL_REASONS | WHOLE_REASONS))
steps = st.lists(
    st.tuples(reasons, st.floats(0, 90_000), st.none() | st.floats(0, 1e9)), max_size=30
)


def fail(state: State, reason: str, now: datetime, retry_after: float | None = None) -> State:
    return failed(state, reason=reason, now=now, schedule=PLAN, retry_after=retry_after)


def in_a_row(reason: str, number: int) -> list[float]:
    """The rests, in seconds, of failures that each come right after the rest before."""
    state, now, rests = State(), NOW, []
    for _index in range(number):
        state = fail(state, reason, now)
        assert state.until is not None
        rests.append((state.until - now).total_seconds())
        now = state.until
    return rests


def test_it_works() -> None:
    assert in_a_row("rate_limit", 8) == [60, 120, 240, 480, 960, 1920, 3600, 3600]


def test_billing() -> None:
    assert [rest / 3600 for rest in in_a_row("billing", 5)] == [5, 10, 20, 24, 24]


@pytest.mark.parametrize(
    ("reason", "about"),
    [
        ("rate_limit", "m"),
        ("overloaded", "m"),
        ("timeout", "m"),
        ("model_not_found", "m"),
        ("auth", ""),
        ("auth_permanent", ""),
        ("billing", ""),
        ("format", None),
        ("context_overflow", None),
        ("session_expired", None),
        ("empty_response", None),
        ("budget", None),
        ("aborted", None),
        ("unclassified", None),
    ],
)
def test_what_a_failure_concerns(reason: ProviderReason, about: str | None) -> None:
    assert scope(reason, "m") == about


def test_refused_for_good() -> None:
    state = fail(State(), "auth_permanent", NOW)
    assert state.permanent
    assert state.until is None
    assert state.active(NOW + timedelta(days=999))


def test_refused_again_and_again_is_for_good() -> None:
    state, now = State(), NOW
    for number in range(1, AUTH_REFUSALS + 1):
        state = fail(state, "auth", now)
        assert state.permanent == (number == AUTH_REFUSALS)
        now = state.until or now


def test_refused_for_minutes_by_setting() -> None:
    plan = Schedule(refused_first=600)
    state = failed(State(), reason="auth_permanent", now=NOW, schedule=plan)
    assert (state.permanent, state.until) == (False, NOW + timedelta(seconds=600))


@given(steps)
def test_active_rest_is_never_extended(history: list[tuple[str, float, float | None]]) -> None:
    state, now = State(), NOW
    for reason, pause, retry_after in history:
        now += timedelta(seconds=pause)
        before, state = state, fail(state, reason, now, retry_after)
        if before.active(now) and not state.permanent:
            assert state == before
        elif not state.permanent:
            assert state.until is not None
            rest = (state.until - now).total_seconds()
            limit = 24 * 3600 if reason == "billing" else 3600
            first = 5 * 3600 if reason == "billing" else 60
            assert first <= rest <= limit
            assert rest >= min(retry_after or 0, limit) - 1


@given(steps)
def test_success_after_the_rest_forgets_all(
    history: list[tuple[str, float, float | None]],
) -> None:
    state, now = State(), NOW
    for reason, pause, retry_after in history:
        now += timedelta(seconds=pause)
        state = fail(state, reason, now, retry_after)
        if state.permanent:
            return
    end = (state.until or now) + timedelta(seconds=1)
    assert succeeded(state, now=end) == State()


def test_old_failures_are_forgotten() -> None:
    state = fail(fail(State(), "timeout", NOW), "timeout", NOW + timedelta(minutes=2))
    assert state.error_count == 2
    assert fail(state, "timeout", NOW + timedelta(hours=25)).error_count == 1
    assert fail(state, "timeout", NOW + timedelta(hours=23)).error_count == 3


def test_another_kind_counts_for_itself() -> None:
    state = fail(State(), "auth", NOW)
    later = fail(state, "billing", NOW + timedelta(minutes=2))
    assert (later.error_count, later.until) == (1, NOW + timedelta(hours=5, minutes=2))


def test_call_sent_before_the_failure_clears_nothing() -> None:
    state = fail(State(), "rate_limit", NOW)
    now = NOW + timedelta(seconds=5)
    assert succeeded(state, now=now) == state
    assert succeeded(state, now=now, started=NOW - timedelta(seconds=1)) == state
    assert succeeded(state, now=now, started=NOW + timedelta(seconds=1)) == State()


def test_probe_only_near_the_end_and_seldom() -> None:
    state = fail(State(), "rate_limit", NOW, retry_after=600)
    assert state.until == NOW + timedelta(seconds=600)
    assert not may_probe(state, NOW + timedelta(seconds=479))
    assert may_probe(state, NOW + timedelta(seconds=480))
    assert not may_probe(fail(State(), "auth", NOW), NOW + timedelta(seconds=59))
    assert not may_probe(fail(State(), "auth_permanent", NOW), NOW)
