"""The caller's own API tokens: `/api/tokens/`."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agents.core.errors import PolicyDenied
from agents.core.principal import ADMIN, ALL_SCOPES
from channels_app.models import ApiToken
from channels_app.rest.fields import Input, Output
from channels_app.rest.paging import PageQuery, page_of, page_response
from channels_app.rest.view import ApiView, answers
from channels_app.token_selectors import api_token_get, api_tokens_list
from channels_app.tokens import api_token_create, api_token_revoke

MAX_DAYS = 3650


class TokenOut(Output):
    """A token without its secret."""

    id = serializers.CharField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


class TokenMadeOut(TokenOut):
    """The only answer that ever holds the secret."""

    token = serializers.CharField()


class TokenIn(Input):
    """A new token. Without `expiresInDays` it lives until it is revoked."""

    name = serializers.CharField(max_length=120)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=ALL_SCOPES), allow_empty=False, max_length=10
    )
    expires_in_days = serializers.IntegerField(required=False, min_value=1, max_value=MAX_DAYS)


class TokensView(ApiView):
    """The caller's tokens."""

    @extend_schema(
        operation_id="tokens_list", parameters=[PageQuery], responses=answers(page_of(TokenOut))
    )
    def get(self, request: Request) -> Response:
        """Every token of the caller, also those that ended."""
        query = self.query(PageQuery)
        fetch = partial(api_tokens_list, person=self.caller.person)
        return page_response(request, query, fetch, TokenOut)

    @extend_schema(request=TokenIn, responses=answers(TokenMadeOut, status=201))
    def post(self, request: Request) -> Response:
        """Makes a token and shows it, once. It can do no more than the caller."""
        wanted = self.body(TokenIn)
        self._check(request, wanted["scopes"])
        token, raw = api_token_create(
            person=self.caller.person,
            name=wanted["name"],
            scopes=wanted["scopes"],
            expires_at=_expiry(wanted.get("expires_in_days"), request.auth),
        )
        body = {**TokenOut(token).data, "token": raw}
        return Response(body, status=status.HTTP_201_CREATED)

    def _check(self, request: Request, scopes: list[str]) -> None:
        """A token that was lost must not be able to make itself another life."""
        if isinstance(request.auth, ApiToken) and not self.principal.has_scope(ADMIN):
            raise PolicyDenied(_("This needs the scope %(scope)s.") % {"scope": ADMIN})
        for scope in scopes:
            if not self.principal.has_scope(scope):
                raise PolicyDenied(
                    _("You cannot grant the scope %(scope)s.") % {"scope": scope},
                    details={"field": "scopes"},
                )


class TokenView(ApiView):
    """One token."""

    @extend_schema(responses=answers(None, status=204))
    def delete(self, request: Request, token_id: str) -> Response:
        """Revokes the token at once."""
        api_token_revoke(token=api_token_get(person=self.caller.person, token_id=token_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _expiry(days: int | None, maker: object) -> datetime | None:
    """When the new token ends: no later than the token that makes it."""
    asked = timezone.now() + timedelta(days=days) if days else None
    limit = maker.expires_at if isinstance(maker, ApiToken) else None
    return min(filter(None, (asked, limit)), default=None)
