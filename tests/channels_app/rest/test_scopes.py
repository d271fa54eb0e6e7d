"""A token can do what its scopes say, and never more than its person."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.models import Person
from tests.channels_app.rest.api import token_make

READ, WRITE, ADMIN = "operator.read", "operator.write", "operator.admin"
CALLS: list[tuple[str, str, str, Any]] = [
    (READ, "GET", "agents/", None),
    (READ, "GET", "sessions/", None),
    (READ, "GET", "runs/", None),
    (READ, "GET", "tokens/", None),
    (READ, "GET", "schema/?format=json", None),
    (WRITE, "POST", "sessions/", {}),
    (WRITE, "PATCH", "me/", {}),
    (ADMIN, "POST", "agents/", {"name": "New"}),
    (ADMIN, "PATCH", "agents/main/", {}),
    (ADMIN, "DELETE", "agents/main/", None),
    (ADMIN, "POST", "tokens/", {"name": "x", "scopes": [READ]}),
]
ORDER = [READ, WRITE, ADMIN]


def test_it_works(owner: Person) -> None:
    """The missing scope is named."""
    answer = token_make(owner, READ)[1].post("sessions/")
    assert answer.status == 403
    assert WRITE in answer.error["message"]


@pytest.mark.parametrize("has", ORDER)
@pytest.mark.parametrize(("needs", "method", "path", "body"), CALLS)
def test_each_call_needs_its_scope(
    owner: Person, has: str, needs: str, method: str, path: str, body: Any
) -> None:
    """A wider scope includes the narrower ones."""
    answer = token_make(owner, has)[1].call(method, path, body)
    if ORDER.index(has) >= ORDER.index(needs):
        assert answer.status != 403
    else:
        assert answer.status == 403
        assert "needs the scope" in answer.error["message"]


def test_token_of_a_demoted_person_shrinks(owner: Person) -> None:
    """What the person lost, the token lost as well."""
    _token, api = token_make(owner)
    assert api.post("agents/", {"name": "One"}).status == 201
    Person.objects.filter(pk=owner.pk).update(role=Person.Role.VIEWER)
    assert api.post("agents/", {"name": "Two"}).status == 403
    assert api.post("sessions/").status == 403
    assert api.get("me/").body["scopes"] == [READ]


def test_viewer_reads_only(member: Person) -> None:
    """The role bounds what a token may have from the start."""
    member.role = Person.Role.VIEWER
    member.save()
    api = token_make(member)[1]
    assert api.get("sessions/").status == 200
    assert api.post("sessions/").status == 403
