"""People: made with an account, let in by a link, given a role, switched off."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from sessions.models import Person, SigninLink

FORM = {"name": "Mia", "role": "member", "zone": "Europe/Paris", "language": "en", "theme": "auto"}
LINK = re.compile(r"http://testserver(/signin/[^<\s]+/)")


def change_path(person: Person) -> str:
    """The page of a person."""
    return f"/admin/agent_sessions/person/{person.pk}/change/"


def test_it_works(page: Client) -> None:
    """A new person gets a link that signs them in."""
    answer = page.post("/admin/agent_sessions/person/add/", FORM)
    link = LINK.search(answer.content.decode())
    assert link is not None
    mia = Person.objects.get(name="Mia")
    assert (mia.zone, mia.language) == ("Europe/Paris", "en")
    assert mia.user is not None
    assert (mia.user.username, mia.user.has_usable_password()) == ("mia", False)
    visitor = Client()
    visitor.post(link[1])
    assert visitor.get("/api/me/").json()["name"] == "Mia"
    assert visitor.get("/admin/", follow=True).status_code == 403


def test_role_opens_and_shuts_the_admin(page: Client) -> None:
    """Django's flags follow the role."""
    page.post("/admin/agent_sessions/person/add/", FORM)
    mia = Person.objects.select_related("user").get(name="Mia")
    form = {**FORM, "may_sign_in": "on"}
    for role, is_in in (("owner", True), ("viewer", False)):
        page.post(change_path(mia), {**form, "role": role})
        user = User.objects.get(username="mia")
        assert (user.is_staff, user.is_superuser) == (is_in, is_in)
        client = Client()
        client.force_login(user)
        assert (client.get("/admin/", follow=True).status_code == 200) is is_in


def test_last_owner_stays(page: Client, owner: Person) -> None:
    """Somebody must be left who can get in."""
    form = {**FORM, "name": "Olga"}
    answer = page.post(change_path(owner), {**form, "role": "owner"})
    assert list(answer.context["adminform"].form.errors) == ["may_sign_in"]
    answer = page.post(change_path(owner), {**form, "may_sign_in": "on"})
    assert list(answer.context["adminform"].form.errors) == ["role"]
    owner.refresh_from_db()
    assert owner.is_owner


def test_switched_off_person_gets_no_link(page: Client) -> None:
    """And cannot sign in any more."""
    page.post("/admin/agent_sessions/person/add/", FORM)
    mia = Person.objects.get(name="Mia")
    page.post(change_path(mia), FORM)
    assert not User.objects.get(username="mia").is_active
    before = SigninLink.objects.count()
    answer = page.post(
        "/admin/agent_sessions/person/",
        {"action": "signin_link", "_selected_action": mia.pk},
        follow=True,
    )
    assert b"may not sign in" in answer.content
    assert SigninLink.objects.count() == before


def test_person_without_account_gets_one_with_the_link(page: Client) -> None:
    """A sender of a channel becomes somebody who can sign in."""
    person = Person.objects.create(name="Élodie")
    chosen = {"action": "signin_link", "_selected_action": person.pk}
    answer = page.post("/admin/agent_sessions/person/", chosen)
    assert LINK.search(answer.content.decode())
    person.refresh_from_db()
    assert person.user is not None
    assert person.user.username == "elodie"


def test_link_is_for_one_person(page: Client, owner: Person) -> None:
    """Choosing two is a mistake."""
    other = Person.objects.create(name="Other")
    answer = page.post(
        "/admin/agent_sessions/person/",
        {"action": "signin_link", "_selected_action": [owner.pk, other.pk]},
        follow=True,
    )
    assert b"exactly one person" in answer.content
    assert not SigninLink.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", ""), ("zone", "Mars/Base"), ("language", "tlh"), ("role", "king")],
)
def test_mistake_is_told_beside_its_field(page: Client, field: str, value: str) -> None:
    """And nobody is made."""
    answer = page.post("/admin/agent_sessions/person/add/", {**FORM, field: value})
    assert list(answer.context["adminform"].form.errors) == [field]
    assert Person.objects.count() == 1


@pytest.mark.parametrize("username", ["olga", "OLGA", "a b", "x" * 151])
def test_bad_user_name_is_refused(page: Client, username: str) -> None:
    """Taken, or not a user name."""
    page.post("/admin/agent_sessions/person/add/", {**FORM, "username": username}, follow=True)
    assert not Person.objects.filter(name="Mia").exists()


def test_password_can_be_set(page: Client) -> None:
    """For somebody who wants one."""
    page.post("/admin/agent_sessions/person/add/", FORM)
    user = User.objects.get(username="mia")
    path = f"/admin/auth/user/{user.pk}/password/"
    assert page.get(path).status_code == 200
    words = "correct horse battery"
    page.post(path, {"password1": words, "password2": words, "usable_password": "true"})
    user.refresh_from_db()
    assert user.check_password(words)
