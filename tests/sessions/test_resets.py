"""When a conversation starts over by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from sessions.resets import ResetPolicy, last_boundary, reset_due

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
ZONES = st.sampled_from(["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe"])


def due(policy: ResetPolicy, started: datetime, last: datetime | None = None) -> str:
    return reset_due(
        policy=policy, started_at=started, last_interaction_at=last, now=NOON, zone="UTC"
    )


def test_it_works() -> None:
    assert due(ResetPolicy(), NOON - timedelta(hours=10)) == "daily"
    assert due(ResetPolicy(), NOON - timedelta(hours=7)) == ""


def test_idle_counts_from_the_last_message() -> None:
    policy = ResetPolicy(mode="idle", idle_minutes=30)
    assert due(policy, NOON - timedelta(hours=9), NOON - timedelta(minutes=31)) == "idle"
    assert due(policy, NOON - timedelta(hours=9), NOON - timedelta(minutes=29)) == ""


def test_none_never_resets() -> None:
    assert due(ResetPolicy(mode="none"), NOON - timedelta(days=400)) == ""


def test_whichever_comes_first() -> None:
    policy = ResetPolicy(mode="daily", idle_minutes=10)
    assert due(policy, NOON - timedelta(hours=1), NOON - timedelta(minutes=11)) == "idle"


def test_the_hour_is_local() -> None:
    boundary = last_boundary(NOON, 4, "America/New_York")
    assert boundary == datetime(2026, 6, 10, 8, tzinfo=UTC)


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),
    st.integers(0, 23),
    ZONES,
)
def test_the_boundary_is_at_most_a_day_old(now: datetime, hour: int, zone: str) -> None:
    boundary = last_boundary(now, hour, zone)
    assert timedelta(0) <= now - boundary <= timedelta(hours=26)
    local = boundary.astimezone(ZoneInfo(zone))
    # A wall clock that jumps over the hour shows a neighbouring one.
    assert abs(local.hour - hour) in (0, 1, 23)
