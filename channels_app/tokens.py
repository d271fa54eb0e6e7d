"""Bearer secrets: the gateway's shared token and the API tokens of people."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import UserError
from agents.core.principal import ALL_SCOPES, Principal
from channels_app.config_section import shared_token
from channels_app.models import ApiToken
from sessions.models import Person

# What an API token starts with, so that people and secret scanners know it.
PREFIX = "oct_"
# A busy token is not worth a write for each request.
_SEEN_EVERY = timedelta(minutes=1)


def gateway_token_matches(candidate: str) -> bool:
    """Whether `candidate` is the shared token of this gateway; takes the same time either way.

    May read the database: call it on its threads.
    """
    known = shared_token()
    return bool(known) and hmac.compare_digest(candidate.encode(), known.encode())


def api_token_create(
    *, person: Person, name: str, scopes: Sequence[str], expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """A new token and its raw text, which is shown once and never stored.

    Raises UserError for a scope that does not exist or that the person does not have.
    """
    own = person.principal()
    for scope in scopes:
        if scope not in ALL_SCOPES or not own.has_scope(scope):
            raise UserError(
                _("%(name)s may not grant the scope %(scope)s.")
                % {
                    "name": person.name,
                    "scope": scope,
                }
            )
    if not name.strip():
        raise UserError(_("The token needs a name that says who uses it."))
    raw = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        person=person,
        name=name.strip()[:120],
        token_hash=_hash(raw),
        scopes=list(dict.fromkeys(scopes)),
        expires_at=expires_at,
    )
    return token, raw


def api_token_find(*, raw: str) -> ApiToken | None:
    """The usable token with this raw text, None when it is unknown, expired or revoked."""
    now = timezone.now()
    token = (
        ApiToken.objects.select_related("person")
        .filter(token_hash=_hash(raw), revoked_at=None)
        .first()
    )
    if token is None or (token.expires_at is not None and token.expires_at <= now):
        return None
    if token.last_used_at is None or now - token.last_used_at > _SEEN_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def api_token_revoke(*, token: ApiToken) -> None:
    """Makes a token useless at once."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def api_token_principal(token: ApiToken) -> Principal:
    """The person behind a token with no more than the token's scopes."""
    own = token.person.principal()
    scopes = tuple(scope for scope in token.scopes if own.has_scope(scope))
    return replace(own, scopes=scopes)


def _hash(raw: str) -> str:
    return hashlib.sha256(raw.encode()).hexdigest()
