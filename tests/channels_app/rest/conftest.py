"""People of the API tests."""

from __future__ import annotations

import pytest

from sessions.models import Person
from tests.channels_app.rest.api import Api, person_make, token_make


@pytest.fixture
def owner(db: None) -> Person:
    """An owner."""
    return person_make("olga", is_owner=True)


@pytest.fixture
def member(db: None) -> Person:
    """Somebody who is no owner."""
    return person_make("mia")


@pytest.fixture
def api(owner: Person) -> Api:
    """The owner's program, with all rights."""
    return token_make(owner)[1]


@pytest.fixture
def member_api(member: Person) -> Api:
    """The member's program, with all rights that a member has."""
    return token_make(member)[1]
