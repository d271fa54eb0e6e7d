"""The two ways into the API: a bearer token, or the cookie of somebody who is signed in."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from channels_app.models import ApiToken
from channels_app.rest.caller import Caller
from channels_app.tokens import api_token_find, api_token_principal
from sessions.people import person_for_user

SCHEME = "Bearer"


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <API token>`."""

    def authenticate(self, request: Request) -> tuple[Caller, ApiToken] | None:
        """The token's person; None without the header. A bad token is refused, never passed on."""
        scheme, _blank, raw = request.headers.get("Authorization", "").partition(" ")
        if not scheme:
            return None
        if scheme.lower() != SCHEME.lower() or not raw.strip():
            raise AuthenticationFailed(
                _("The Authorization header must read: Bearer <API token>."), "authorization"
            )
        token = api_token_find(raw=raw.strip())
        if token is None or not _is_active(token):
            text = _("The API token is unknown, expired or revoked. Make another one in the admin.")
            raise AuthenticationFailed(text, "token_invalid")
        return Caller(token.person, api_token_principal(token)), token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return SCHEME


class SignedInAuthentication(SessionAuthentication):
    """The cookie of a signed-in person. What changes something needs the CSRF token as well."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """The signed-in person with all rights of their role; None for nobody."""
        found = super().authenticate(request)
        if found is None:
            return None
        person = person_for_user(user=found[0])
        return Caller(person, person.principal()), None


def _is_active(token: ApiToken) -> bool:
    user = token.person.user
    return user is None or user.is_active


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes tokens."""

    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """OpenAPI's own words for it."""
        return {"type": "http", "scheme": "bearer", "description": "An API token."}


class SignedInScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes the cookie."""

    target_class = SignedInAuthentication
    name = "cookie"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """OpenAPI's own words for it."""
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}
