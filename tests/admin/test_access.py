"""Owners get in, nobody else does."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from sessions.models import Person
from sessions.people import person_for_user
from tests.admin.rows import session_make

PAGES = ["/admin/", "/admin/agents/agent/", "/admin/agent_sessions/modelcall/spending/"]


def signed_in(user: User) -> Client:
    """The browser of a user."""
    client = Client()
    client.force_login(user)
    return client


def test_it_works(page: Client) -> None:
    """The first page has the product's name and a link to every list."""
    response = page.get("/admin/")
    assert response.status_code == 200
    for words in (b"OpenClaw", b"What runs now", b"What failed today", b"Who spends"):
        assert words in response.content


@pytest.mark.parametrize("path", PAGES)
def test_nobody_is_sent_to_the_one_sign_in(db: None, path: str) -> None:
    """And comes back to where they wanted to go."""
    response = Client().get(path, follow=True)
    assert response.redirect_chain[-1][0] == f"/signin/?next={path}"


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("is_staff", [False, True])
def test_members_are_refused(db: None, path: str, is_staff: bool) -> None:
    """Django's own staff flag opens nothing."""
    user = User.objects.create_user("mia", is_staff=is_staff)
    response = signed_in(user).get(path, follow=True)
    assert response.status_code == 403
    assert b"for owners" in response.content


def test_role_decides(db: None) -> None:
    """An owner without Django's flags gets in; a superuser who is no owner does not."""
    owner = User.objects.create_user("olga")
    Person.objects.create(user=owner, name="Olga", role=Person.Role.OWNER)
    assert signed_in(owner).get("/admin/agents/agent/add/").status_code == 200
    former = User.objects.create_superuser("fred")
    Person.objects.filter(pk=person_for_user(user=former).pk).update(role=Person.Role.MEMBER)
    assert signed_in(former).get("/admin/", follow=True).status_code == 403


def test_signing_out_leads_to_the_sign_in(page: Client) -> None:
    """From the admin's own menu."""
    response = page.post("/admin/logout/", follow=True)
    assert response.redirect_chain[-1][0] == "/signin/"
    assert page.get("/admin/").status_code == 302


def test_sign_in_page_of_the_admin_is_passed_by(page: Client) -> None:
    """There is one sign-in; who has passed it goes on."""
    assert page.get("/admin/login/").headers["Location"] == "/admin/"
    answer = Client().get("/admin/login/?next=/admin/auth/user/")
    assert answer.headers["Location"] == "/signin/?next=/admin/auth/user/"


def test_pages_speak_the_owners_zone(page: Client, owner: Person) -> None:
    """A time on a page is the owner's own."""
    session = session_make(owner)
    path = f"/admin/agent_sessions/session/{session.pk}/change/"
    Person.objects.filter(pk=owner.pk).update(zone="Pacific/Kiritimati")
    shown = page.get(path).content.decode()
    Person.objects.filter(pk=owner.pk).update(zone="Pacific/Niue")
    assert page.get(path).content.decode() != shown
