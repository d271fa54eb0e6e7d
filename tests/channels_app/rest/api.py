"""A program that speaks to the API with a token."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.test import Client

from agents.core.principal import ADMIN, READ, WRITE
from channels_app.models import ApiToken
from channels_app.tokens import api_token_create
from sessions.models import Person
from sessions.people import person_for_user

EVERYTHING = (ADMIN, READ, WRITE)


@dataclass
class Answer:
    """Status and body of an answer; `error` is the error's own object."""

    status: int
    body: Any
    headers: Any = field(repr=False)

    @property
    def error(self) -> dict[str, Any]:
        """What is wrong, in the one shape of all errors."""
        assert set(self.body) == {"error"}
        found: dict[str, Any] = self.body["error"]
        assert set(found) == {"code", "message", "details", "id"}
        return found


@dataclass
class Api:
    """Calls with one bearer token."""

    raw: str
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def sign_in(self, person: Person) -> None:
        """Gives the client a browser's cookie."""
        assert person.user is not None
        self.client.force_login(person.user)

    def call(self, method: str, path: str, body: Any = None) -> Answer:
        """One request below /api/."""
        headers = {"Authorization": f"Bearer {self.raw}"} if self.raw else {}
        data = b"" if body is None else orjson.dumps(body)
        response = self.client.generic(
            method, f"/api/{path}", data, content_type="application/json", headers=headers
        )
        found = orjson.loads(response.content) if response.content else None
        return Answer(response.status_code, found, response.headers)

    def get(self, path: str) -> Answer:
        """GET."""
        return self.call("GET", path)

    def post(self, path: str, body: Any = None) -> Answer:
        """POST; without a body an empty object is sent."""
        return self.call("POST", path, {} if body is None else body)

    def patch(self, path: str, body: Any) -> Answer:
        """PATCH."""
        return self.call("PATCH", path, body)

    def delete(self, path: str) -> Answer:
        """DELETE."""
        return self.call("DELETE", path)


def person_make(name: str, *, is_owner: bool = False) -> Person:
    """A person with a Django user."""
    make = User.objects.create_superuser if is_owner else User.objects.create_user
    return person_for_user(user=make(username=name))


def token_make(person: Person, *scopes: str) -> tuple[ApiToken, Api]:
    """A token of a person and a program that has it; without scopes all that the person has."""
    granted = scopes or [scope for scope in EVERYTHING if person.principal().has_scope(scope)]
    token, raw = api_token_create(person=person, name="test", scopes=granted)
    return token, Api(raw)
