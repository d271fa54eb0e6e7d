"""The platform's ticks: known to beat and to the worker, expiring, and pruning what is over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from django_celery_beat.schedulers import ModelEntry

from agents.core.registry import Registry
from agents.pruning import PRUNERS, Pruner
from openclaw_site.celery import app
from scheduler import pruning
from scheduler.pruning import prune_all
from scheduler.ticks import TICKS

pytestmark = pytest.mark.django_db


@pytest.fixture
def pruners(monkeypatch: pytest.MonkeyPatch) -> Registry[Pruner]:
    """A registry of this test alone."""
    registry: Registry[Pruner] = Registry("pruner")
    monkeypatch.setattr(pruning, "PRUNERS", registry)
    return registry


def test_it_works() -> None:
    """An ended browser session goes, a live one stays."""
    now = timezone.now()
    for key, hours in (("old", -1), ("new", 1)):
        Session.objects.create(
            session_key=key, session_data="", expire_date=now + timedelta(hours=hours)
        )
    assert prune_all().keys() >= {"web_sessions", "signin_links"}
    assert [row.session_key for row in Session.objects.all()] == ["new"]


def test_every_tick_expires_and_has_its_task() -> None:
    """A tick that nobody could run in time is dropped; its task exists in every worker."""
    app.loader.import_default_modules()
    for name, tick in TICKS.items():
        assert tick["task"] in app.tasks
        entry = ModelEntry.from_entry(name, app=app, **tick)
        assert 0 < entry.options["expires"] <= tick["schedule"]


def test_failing_pruner_stops_no_other(pruners: Registry[Pruner]) -> None:
    """The next one still runs, and the failure is not reported as a result."""

    def broken() -> int:
        raise OSError("disk")

    pruners.register("broken", broken)
    pruners.register("good", lambda: 3)
    assert prune_all() == {"good": 3}


def test_all_registered_pruners_load() -> None:
    """No dotted path is misspelt."""
    assert all(callable(pruner) for _, pruner in PRUNERS)
