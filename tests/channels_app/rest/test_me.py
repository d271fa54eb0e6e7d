"""People look at themselves over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.models import Person
from tests.channels_app.rest.api import Api


def test_it_works(member_api: Api, member: Person) -> None:
    """What a person may set is set."""
    changes = {"name": "Mia M.", "zone": "Europe/Paris", "language": "en", "theme": "dark"}
    answer = member_api.patch("me/", changes)
    assert answer.status == 200
    assert changes.items() <= member_api.get("me/").body.items()
    member.refresh_from_db()
    assert (member.zone, member.theme) == ("Europe/Paris", "dark")


@pytest.mark.parametrize(
    "body",
    [
        {"zone": "Mars/Base"},
        {"language": "tlh"},
        {"theme": "pink"},
        {"name": ""},
        {"role": "owner"},
        {"scopes": ["operator.admin"]},
    ],
)
def test_bad_or_forbidden_change_is_refused(
    member_api: Api, member: Person, body: dict[str, Any]
) -> None:
    """Nobody makes themselves an owner."""
    before = member_api.get("me/").body
    answer = member_api.patch("me/", body)
    assert answer.status == 400
    after = member_api.get("me/").body
    assert {**after, "token": None} == {**before, "token": None}
