"""When a budget's window begins and ends. Days and months are those of UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

# A run's window has no date; this one keeps it apart from nothing else.
RUN_START = datetime(1970, 1, 1, tzinfo=UTC)


def window_start(period: str, now: datetime) -> datetime:
    """The beginning of the run, day or month that `now` lies in."""
    if period == "run":
        return RUN_START
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight.replace(day=1) if period == "month" else midnight


def window_end(period: str, now: datetime) -> datetime | None:
    """When the next window begins; None for a run, which has no next one."""
    if period == "run":
        return None
    start = window_start(period, now)
    if period == "day":
        return start + timedelta(days=1)
    return (start + timedelta(days=32)).replace(day=1)
