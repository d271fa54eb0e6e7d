"""What an owner does with rows of a list."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from channels_app.models import ApiToken, Device
from channels_app.tokens import api_token_find
from sessions.models import Person, Session, Switch
from tests.admin.rows import run_make, session_make
from tests.platform.redis_server import RedisServer


def act(page: Client, path: str, action: str, *rows: Any) -> str:
    """Chooses rows and an action; returns the page that follows."""
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]}
    return page.post(f"/admin/{path}/", chosen, follow=True).content.decode()


def test_it_works(page: Client, owner: Person) -> None:
    """A device that waits is let in for whoever approves, and shut out again."""
    device = Device.objects.create(
        id="a" * 64, public_key="k", name="phone", scopes=["operator.read"]
    )
    assert "1 device is let in" in act(page, "channels_app/device", "approve", device)
    device.refresh_from_db()
    assert device.approved_at is not None
    assert device.person == owner
    act(page, "channels_app/device", "revoke", device)
    device.refresh_from_db()
    assert device.revoked_at is not None


def test_device_has_no_more_rights_than_its_person(page: Client, owner: Person) -> None:
    """The form refuses a scope that the person does not have."""
    member = Person.objects.create(name="Mia")
    device = Device.objects.create(id="a" * 64, public_key="k", name="phone")
    path = f"/admin/channels_app/device/{device.pk}/change/"
    form = {"name": "phone", "person": member.pk, "scopes": ["operator.admin"]}
    answer = page.post(path, form)
    assert list(answer.context["adminform"].form.errors) == ["scopes"]
    assert page.post(path, {**form, "scopes": ["operator.read"]}).status_code == 302
    device.refresh_from_db()
    assert (device.person, device.scopes) == (member, ["operator.read"])


def test_token_is_shown_once_and_revoked(page: Client, owner: Person) -> None:
    """Afterwards nobody can see it any more, and then it is useless."""
    form = {"name": "report", "person": owner.pk, "scopes": ["operator.read"]}
    answer = page.post("/admin/channels_app/apitoken/add/", form)
    raw = answer.context["secret"]
    assert raw in answer.content.decode()
    assert api_token_find(raw=raw) is not None
    token = ApiToken.objects.get()
    for path in ("", f"{token.pk}/change/", f"{token.pk}/history/"):
        assert raw not in page.get(f"/admin/channels_app/apitoken/{path}").content.decode()
    act(page, "channels_app/apitoken", "revoke", token)
    assert api_token_find(raw=raw) is None


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("name", {"name": ""}),
        ("scopes", {"scopes": []}),
        ("scopes", {"scopes": ["operator.everything"]}),
        ("expires_at", {"expires_at_0": "2020-01-01", "expires_at_1": "00:00"}),
    ],
)
def test_bad_token_is_told_beside_its_field(
    page: Client, owner: Person, field: str, changes: dict[str, Any]
) -> None:
    """And none is made."""
    form = {"name": "x", "person": owner.pk, "scopes": ["operator.read"], **changes}
    answer = page.post("/admin/channels_app/apitoken/add/", form)
    assert list(answer.context["adminform"].form.errors) == [field]
    assert not ApiToken.objects.exists()


def test_runs_are_stopped(page: Client, owner: Person, clean_redis: RedisServer) -> None:
    """Those that run; those that have ended stay as they are."""
    running = run_make(session_make(owner), state="running", outcome="")
    ended = run_make(session_make(owner))
    assert "1 run is stopping" in act(page, "agent_sessions/run", "stop", running, ended)
    running.refresh_from_db()
    ended.refresh_from_db()
    assert (running.stop_kind, running.stop_by) == ("rpc", "olga")
    assert ended.stop_kind == ""


def test_run_leads_to_its_timeline(page: Client, owner: Person) -> None:
    """From the list and from the run's own page."""
    run = run_make(session_make(owner))
    assert f'href="/runs/{run.pk}/"' in page.get("/admin/agent_sessions/run/").content.decode()
    button = f"/admin/agent_sessions/run/{run.pk}/timeline_open/"
    assert button in page.get(f"/admin/agent_sessions/run/{run.pk}/change/").content.decode()
    assert page.get(button).headers["Location"] == f"/runs/{run.pk}/"


def test_session_can_be_named_and_put_away(
    page: Client, owner: Person, clean_redis: RedisServer
) -> None:
    """Its history cannot be changed by the same form."""
    session = session_make(owner)
    path = f"/admin/agent_sessions/session/{session.pk}/change/"
    page.post(path, {"label": "Holidays", "queue_mode": "steer", "key": "agent:main:x"})
    found = Session.objects.get(pk=session.pk)
    assert (found.label, found.queue_mode, found.key) == ("Holidays", "steer", session.key)
    act(page, "agent_sessions/session", "archive", session)
    assert Session.objects.get(pk=session.pk).archived_at is not None
    act(page, "agent_sessions/session", "unarchive", session)
    assert Session.objects.get(pk=session.pk).archived_at is None


@pytest.mark.parametrize(
    ("field", "value"), [("label", "x" * 65), ("model", "no/such"), ("thinking", "hard")]
)
def test_bad_session_setting_is_told(page: Client, owner: Person, field: str, value: str) -> None:
    """Beside its field."""
    session = session_make(owner)
    answer = page.post(f"/admin/agent_sessions/session/{session.pk}/change/", {field: value})
    assert list(answer.context["adminform"].form.errors) == [field]


def test_switch_stops_and_resumes(page: Client, clean_redis: RedisServer) -> None:
    """The same switch as on the control panel."""
    switch = Switch.objects.create(name="everything", changed_at=timezone.now() - timedelta(1))
    act(page, "agent_sessions/switch", "stop", switch)
    switch.refresh_from_db()
    assert (switch.stopped, switch.by) == (True, "olga")
    act(page, "agent_sessions/switch", "resume", switch)
    switch.refresh_from_db()
    assert not switch.stopped
