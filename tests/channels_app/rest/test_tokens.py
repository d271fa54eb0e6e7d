"""Making and revoking tokens over HTTP."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from channels_app.models import ApiToken
from sessions.models import Person
from tests.channels_app.rest.api import Api, token_make

READ, WRITE, ADMIN = "operator.read", "operator.write", "operator.admin"


def test_it_works(api: Api) -> None:
    """The secret is shown once, works, and is revoked."""
    made = api.post("tokens/", {"name": "report", "scopes": [READ], "expiresInDays": 7})
    assert made.status == 201
    other = Api(made.body["token"])
    assert other.get("me/").body["scopes"] == [READ]
    listed = api.get("tokens/").body["results"]
    assert [token["name"] for token in listed] == ["report", "test"]
    assert made.body["token"] not in str(listed)
    week = datetime.fromisoformat(listed[0]["expiresAt"]) - timezone.now()
    assert timedelta(days=6) < week <= timedelta(days=7)
    assert api.delete(f"tokens/{made.body['id']}/").status == 204
    assert other.get("me/").status == 401


def test_signed_in_person_makes_tokens(member: Person) -> None:
    """A member grants what a member has, and no more."""
    api = Api("")
    api.sign_in(member)
    assert api.post("tokens/", {"name": "mine", "scopes": [READ, WRITE]}).status == 201
    refused = api.post("tokens/", {"name": "mine", "scopes": [ADMIN]})
    assert refused.status == 403
    assert ADMIN in refused.error["message"]


def test_token_makes_no_token_that_outlives_it(owner: Person) -> None:
    """A lost token ends when it ends."""
    token, api = token_make(owner)
    end = timezone.now() + timedelta(days=2)
    ApiToken.objects.filter(pk=token.pk).update(expires_at=end)
    for days in ({}, {"expiresInDays": 30}):
        made = api.post("tokens/", {"name": "x", "scopes": [READ], **days}).body
        assert ApiToken.objects.get(pk=made["id"]).expires_at == end


def test_lesser_token_makes_none(owner: Person, member_api: Api) -> None:
    """It could give itself another life."""
    _token, api = token_make(owner, READ, WRITE)
    for program in (api, member_api):
        answer = program.post("tokens/", {"name": "x", "scopes": [READ]})
        assert (answer.status, answer.error["code"]) == (403, "forbidden")


def test_foreign_tokens_do_not_exist(api: Api, member: Person) -> None:
    """Even an owner sees only their own here."""
    token, program = token_make(member)
    assert len(api.get("tokens/").body["results"]) == 1
    assert api.delete(f"tokens/{token.pk}/").status == 404
    assert program.get("me/").status == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"scopes": [READ]}, "name"),
        ({"name": " ", "scopes": [READ]}, "name"),
        ({"name": "x"}, "scopes"),
        ({"name": "x", "scopes": []}, "scopes"),
        ({"name": "x", "scopes": ["operator.everything"]}, "scopes"),
        ({"name": "x", "scopes": [READ], "expiresInDays": 0}, "expiresInDays"),
        ({"name": "x", "scopes": [READ], "token": "mine"}, "token"),
    ],
)
def test_bad_input_is_named(api: Api, body: dict[str, Any], field: str) -> None:
    """No token is made then."""
    answer = api.post("tokens/", body)
    assert (answer.status, list(answer.error["details"]["fields"])) == (400, [field])
    assert ApiToken.objects.count() == 1
