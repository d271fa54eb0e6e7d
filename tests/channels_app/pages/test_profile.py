"""What people set for themselves."""

from __future__ import annotations

import pytest
from django.test import Client

from sessions.models import Person
from tests.channels_app.pages.conftest import Visitor

FIELDS = {"name": "Ada", "zone": "Europe/Paris", "language": "en", "theme": "dark"}


def test_it_works(owner: Visitor) -> None:
    answer = owner.client.post("/profile/", FIELDS, follow=True)

    person = Person.objects.get()
    assert [person.name, person.zone, person.theme] == ["Ada", "Europe/Paris", "dark"]
    assert "Your profile is saved." in answer.content.decode()
    assert 'data-theme="dark"' in answer.content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [("zone", "Mars/Olympus"), ("language", "xx"), ("theme", "pink"), ("name", "")],
)
def test_bad_values_are_named(owner: Visitor, field: str, value: str) -> None:
    answer = owner.client.post("/profile/", {**FIELDS, field: value})

    assert answer.status_code == 400
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert Person.objects.get().zone == "UTC"


def test_times_are_shown_in_the_persons_zone(owner: Visitor) -> None:
    owner.client.post("/profile/", {**FIELDS, "zone": "Asia/Tokyo"})
    owner.client.post("/chat/new/")

    assert "+09:00" in owner.client.get("/").content.decode()


def test_the_theme_alone_is_saved_by_the_palette(owner: Visitor) -> None:
    assert owner.client.post("/profile/theme/", {"theme": "light"}).status_code == 204
    assert 'data-theme="light"' in owner.client.get("/runs/").content.decode()

    assert owner.client.post("/profile/theme/", {"theme": "auto"}).status_code == 204
    assert "data-theme" not in owner.client.get("/runs/").content.decode()
    assert owner.client.post("/profile/theme/", {"theme": "pink"}).status_code == 400


def test_a_new_password_keeps_this_browser_and_ends_others(owner: Visitor) -> None:
    other = Client()
    user = owner.person.user
    assert user is not None
    other.force_login(user)
    fields = {
        "old_password": "not-used-here-1",
        "new_password1": "another long phrase",
        "new_password2": "another long phrase",
    }

    owner.client.post("/profile/password/", fields)

    assert owner.client.get("/profile/").status_code == 200
    assert other.get("/profile/").status_code == 302


def test_a_weak_password_is_refused_with_the_reason(owner: Visitor) -> None:
    fields = {
        "old_password": "not-used-here-1",
        "new_password1": "12345",
        "new_password2": "12345",
    }

    answer = owner.client.post("/profile/password/", fields)

    assert answer.status_code == 400
    assert "too short" in answer.content.decode()
