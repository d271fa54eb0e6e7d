"""When a conversation starts over by itself. Pure.

Policy (gateway.md 5.2, design: daily at 04:00 local time, by the start of the transcript): daily
and idle limits may both be set; whichever is reached first wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


@dataclass(frozen=True, slots=True)
class ResetPolicy:
    """`at_hour` is local time, 0 to 23; `idle_minutes` None means no idle limit."""

    mode: Literal["daily", "idle", "none"] = "daily"
    at_hour: int = 4
    idle_minutes: int | None = None


def reset_due(
    *,
    policy: ResetPolicy,
    started_at: datetime,
    last_interaction_at: datetime | None,
    now: datetime,
    zone: str,
) -> str:
    """Why a new transcript must be started before the next message: "daily", "idle" or ""."""
    if policy.mode == "none":
        return ""
    if policy.mode == "daily" and started_at < last_boundary(now, policy.at_hour, zone):
        return "daily"
    limit = policy.idle_minutes or (60 if policy.mode == "idle" else None)
    since = last_interaction_at or started_at
    if limit is not None and now - since >= timedelta(minutes=limit):
        return "idle"
    return ""


def last_boundary(now: datetime, at_hour: int, zone: str) -> datetime:
    """The most recent instant at which the wall clock of `zone` read `at_hour`:00.

    A zone that this machine does not know counts as UTC: no message may fail for it.
    """
    local = now.astimezone(_zone(zone))
    boundary = local.replace(hour=at_hour, minute=0, second=0, microsecond=0)
    if boundary > local:
        boundary = (local - timedelta(days=1)).replace(
            hour=at_hour, minute=0, second=0, microsecond=0
        )
    return boundary.astimezone(now.tzinfo)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")
