"""Signing in by password and by link."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from sessions.models import Person, SigninLink
from sessions.people import person_for_user, signin_link_create

PASSWORD = "correct horse battery"


@pytest.fixture
def person(db: None) -> Person:
    user = User.objects.create_user("ada", password=PASSWORD)
    return person_for_user(user=user)


def is_signed_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def sign_in(client: Client, password: str = PASSWORD, **more: str) -> int:
    return client.post("/signin/", {"username": "ada", "password": password, **more}).status_code


def test_it_works(person: Person) -> None:
    client = Client()

    assert sign_in(client) == 302
    assert is_signed_in(client)


def test_a_wrong_password_is_explained(person: Person) -> None:
    client = Client()
    answer = client.post("/signin/", {"username": "ada", "password": "wrong"})

    assert "correct username and password" in answer.content.decode()
    assert not is_signed_in(client)


def test_too_many_wrong_passwords_lock_the_name_out_for_a_while(person: Person) -> None:
    client = Client(REMOTE_ADDR="192.0.2.7")
    for _ in range(10):
        assert sign_in(client, "wrong") == 200

    assert sign_in(client, PASSWORD) == 429
    locked = client.post("/signin/", {"username": "Ada", "password": PASSWORD})
    assert "Try again in 5 min" in locked.content.decode()
    assert not is_signed_in(client)
    # Somebody at another address is not locked out by it.
    assert sign_in(Client(REMOTE_ADDR="192.0.2.8")) == 302


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example/", "javascript:x"])
def test_signing_in_leads_nowhere_else(person: Person, address: str) -> None:
    client = Client()
    answer = client.post(
        f"/signin/?next={quote(address)}",
        {"username": "ada", "password": PASSWORD, "next": address},
    )

    assert answer.headers["Location"] == "/"


def test_the_theme_of_the_person_comes_with_the_sign_in(person: Person) -> None:
    person.theme = Person.Theme.DARK
    person.save()
    client = Client()
    sign_in(client)

    assert 'data-theme="dark"' in client.get("/profile/").content.decode()


def test_a_link_signs_in_once(person: Person) -> None:
    link = f"/signin/{signin_link_create(person=person)}/"
    client, other = Client(), Client()
    assert client.get(link).status_code == 200
    assert not is_signed_in(client)

    assert client.post(link).status_code == 302
    assert is_signed_in(client)
    assert other.post(link).status_code == 400
    assert not is_signed_in(other)


def test_an_old_link_does_not_sign_in(person: Person) -> None:
    token = signin_link_create(person=person)
    SigninLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    client = Client()

    answer = client.post(f"/signin/{token}/")

    assert answer.status_code == 400
    assert "too old" in answer.content.decode()


def test_a_person_who_was_switched_off_stays_out(person: Person) -> None:
    token = signin_link_create(person=person)
    User.objects.update(is_active=False)

    assert Client().post(f"/signin/{token}/").status_code == 403


def test_signing_out_needs_a_form_and_ends_the_session(person: Person) -> None:
    client = Client()
    sign_in(client)
    assert client.get("/signout/").status_code == 405

    client.post("/signout/")

    assert not is_signed_in(client)
