"""The caller: `/api/me/`."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from channels_app.models import ApiToken
from channels_app.rest.fields import Input, Output
from channels_app.rest.tokens import TokenOut
from channels_app.rest.view import ApiView, answers
from sessions.models import Person
from sessions.people import person_update


class MeOut(Output):
    """A person, and what this request may do. `token` is null for somebody who is signed in."""

    id = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=Person.Role.values)
    zone = serializers.CharField()
    language = serializers.CharField()
    theme = serializers.ChoiceField(choices=Person.Theme.values)
    scopes = serializers.ListField(child=serializers.CharField())
    token = TokenOut(allow_null=True)


class MeIn(Input):
    """What people may set for themselves."""

    name = serializers.CharField(required=False, max_length=120)
    zone = serializers.CharField(required=False, max_length=64)
    language = serializers.CharField(required=False, max_length=16)
    theme = serializers.ChoiceField(choices=Person.Theme.values, required=False)


class MeView(ApiView):
    """Who asks."""

    @extend_schema(responses=answers(MeOut))
    def get(self, request: Request) -> Response:
        """The caller and their rights."""
        return Response(self._shape(self.caller.person))

    @extend_schema(request=MeIn, responses=answers(MeOut))
    def patch(self, request: Request) -> Response:
        """Changes what the caller may set."""
        return Response(self._shape(person_update(person=self.caller.person, **self.body(MeIn))))

    def _shape(self, person: Person) -> Any:
        token = self.request.auth
        return MeOut({
            "id": person.pk,
            "name": person.name,
            "role": person.role,
            "zone": person.zone,
            "language": person.language,
            "theme": person.theme,
            "scopes": self.principal.scopes,
            "token": token if isinstance(token, ApiToken) else None,
        }).data  # fmt: skip
