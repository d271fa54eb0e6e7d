"""An owner at the admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from sessions.models import Person
from sessions.people import person_for_user


@pytest.fixture
def owner(db: None) -> Person:
    """An owner with an account."""
    return person_for_user(user=User.objects.create_superuser("olga"))


@pytest.fixture
def page(owner: Person) -> Client:
    """The owner's browser."""
    client = Client()
    assert owner.user is not None
    client.force_login(owner.user)
    return client
