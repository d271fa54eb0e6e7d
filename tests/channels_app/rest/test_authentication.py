"""Who gets into the API, and who does not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from channels_app.models import ApiToken
from channels_app.tokens import api_token_revoke
from sessions.models import Person
from tests.channels_app.rest.api import Api, token_make


def test_it_works(owner: Person) -> None:
    """A token names its person and its own rights."""
    _token, api = token_make(owner, "operator.read")
    answer = api.get("me/")
    assert (answer.status, answer.body["name"]) == (200, "olga")
    assert answer.body["scopes"] == ["operator.read"]
    assert answer.body["token"]["name"] == "test"


@pytest.mark.parametrize("path", ["me/", "agents/", "schema/", "nothing/", ""])
def test_nobody_gets_nothing(db: None, path: str) -> None:
    """Without a token there is one answer for every address."""
    answer = Api("").get(path)
    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.error["code"] == "not_authenticated"


def _expire(token: ApiToken) -> None:
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def _deactivate(token: ApiToken) -> None:
    assert token.person.user is not None
    token.person.user.is_active = False
    token.person.user.save()


def _revoke(token: ApiToken) -> None:
    api_token_revoke(token=token)


@pytest.mark.parametrize("end", [_expire, _revoke, _deactivate])
def test_ended_token_is_refused(owner: Person, end: Callable[[ApiToken], None]) -> None:
    """Expired, revoked, or of somebody who was switched off."""
    token, api = token_make(owner)
    assert api.get("me/").status == 200
    end(token)
    answer = api.get("me/")
    assert (answer.status, answer.error["code"]) == (401, "token_invalid")


@pytest.mark.parametrize("raw", ["oct_unknown", "x", "é", " "])
def test_unknown_token_is_refused(owner: Person, raw: str) -> None:
    """Whatever it looks like."""
    assert Api(raw).get("me/").status == 401


def test_bad_token_is_not_saved_by_a_cookie(owner: Person) -> None:
    """A program with a wrong token does not turn into the person at the browser."""
    api = Api("oct_unknown")
    api.sign_in(owner)
    assert api.get("me/").status == 401


def test_other_schemes_are_refused(owner: Person) -> None:
    """The header must say Bearer."""
    client = Client(headers={"Authorization": "Basic b2xnYTpwdw=="})
    response = client.get("/api/me/")
    assert response.status_code == 401
    assert "Bearer" in response.json()["error"]["message"]


def test_gateway_token_is_no_api_token(owner: Person) -> None:
    """The shared token opens sockets and /v1, not the API."""
    assert Api(settings.OPENCLAW.gateway_token).get("me/").status == 401


def test_signed_in_person_may_read(owner: Person) -> None:
    """The cookie of a browser is a way in as well."""
    api = Api("")
    api.sign_in(owner)
    answer = api.get("me/")
    assert (answer.status, answer.body["token"]) == (200, None)
    assert "operator.admin" in answer.body["scopes"]


def test_cookie_alone_changes_nothing(owner: Person) -> None:
    """Another site cannot make a browser write: the CSRF token must be there."""
    client = Client(enforce_csrf_checks=True)
    Api("", client).sign_in(owner)
    refused = client.patch("/api/me/", {"name": "Eve"}, content_type="application/json")
    assert refused.status_code == 403
    assert "CSRF" in refused.json()["error"]["message"]
    client.cookies["csrftoken"] = secret = "a" * 32
    taken = client.patch(
        "/api/me/",
        {"name": "Olga"},
        content_type="application/json",
        headers={"X-CSRFToken": secret},
    )
    assert taken.status_code == 200


def test_last_use_is_noted_at_most_once_a_minute(owner: Person) -> None:
    """A busy token does not write with every request."""
    token, api = token_make(owner)
    api.get("me/")
    first = ApiToken.objects.get(pk=token.pk).last_used_at
    assert first is not None
    api.get("me/")
    assert ApiToken.objects.get(pk=token.pk).last_used_at == first
    long_ago = first - timedelta(minutes=2)
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=long_ago)
    api.get("me/")
    assert not ApiToken.objects.filter(pk=token.pk, last_used_at=long_ago).exists()


def test_only_a_hash_is_stored(owner: Person) -> None:
    """A copy of the database opens nothing."""
    token, api = token_make(owner)
    row = ApiToken.objects.filter(pk=token.pk).values().get()
    assert api.raw not in str(row)
    assert len(row["token_hash"]) == 64
