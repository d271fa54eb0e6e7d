"""Signed-in people for tests: a user, a person, a browser session."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.test import Client

from agents.database import run_db
from sessions.models import Person
from sessions.people import person_for_user
from tests.channels_app.gateway.params import HOST


async def signed_in(name: str, role: str = Person.Role.MEMBER) -> tuple[Person, str]:
    """The person and the Cookie header of their browser."""
    return await run_db(_sign_in, name, role)


def _sign_in(name: str, role: str) -> tuple[Person, str]:
    users = get_user_model()._default_manager
    user = users.create_user(username=name, password="secret")
    person = person_for_user(user=user)
    Person.objects.filter(pk=person.pk).update(role=role)
    person.refresh_from_db()
    browser = Client(SERVER_NAME=HOST.split(":")[0])
    browser.force_login(user)
    cookie = "; ".join(f"{key}={morsel.value}" for key, morsel in browser.cookies.items())
    return person, cookie


async def sign_out(person: Person) -> None:
    """Ends the person's right to be here."""

    def work() -> None:
        get_user_model()._default_manager.filter(person=person).update(is_active=False)

    await run_db(work)
