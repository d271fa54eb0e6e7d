"""The lists behind "what runs now" and "what failed today"."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from sessions.models import Person
from tests.admin.rows import run_make, session_make

FAILED = "/admin/agent_sessions/run/?standing=error&when=today"
RUNS = "/admin/agent_sessions/run/?standing=open"


def shown(page: Client, path: str) -> set[str]:
    """What the runs of a list were asked."""
    return {run.preview for run in page.get(path).context["cl"].result_list}


def test_it_works(page: Client, owner: Person) -> None:
    """Failures of today with their reason, and only those."""
    session = session_make(owner)
    now = timezone.now()
    run_make(session, preview="fine")
    run_make(session, preview="bad", outcome="error", error_message="401 invalid key", at=now)
    run_make(session, preview="old", outcome="error", at=now - timedelta(days=2))
    assert shown(page, FAILED) == {"bad"}
    assert b"401 invalid key" in page.get(FAILED).content
    overview = page.get("/admin/").content.decode()
    assert "401 invalid key" in overview


def test_what_runs_now(page: Client, owner: Person) -> None:
    """Running and parked ones, and how many in the sidebar."""
    run_make(session_make(owner), preview="running", state="running", outcome="")
    run_make(session_make(owner), preview="parked", state="parked", outcome="")
    run_make(session_make(owner), preview="ended")
    assert shown(page, RUNS) == {"running", "parked"}
    assert shown(page, RUNS.replace("open", "parked")) == {"parked"}
    assert shown(page, RUNS.replace("open", "final")) == {"ended"}


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue"])
def test_today_begins_at_the_owners_midnight(page: Client, owner: Person, zone: str) -> None:
    """Not at that of the server."""
    Person.objects.filter(pk=owner.pk).update(zone=zone)
    here = datetime.now(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    session = session_make(owner)
    run_make(session, preview="first", outcome="error", at=here)
    run_make(session, preview="last", outcome="error", at=here - timedelta(seconds=1))
    assert shown(page, FAILED) == {"first"}
    assert shown(page, FAILED.replace("today", "yesterday")) == {"last"}
    assert shown(page, FAILED.replace("today", "week")) == {"first", "last"}
