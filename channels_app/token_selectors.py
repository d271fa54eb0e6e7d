"""Reads of API tokens."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.core.errors import NotFound
from channels_app.models import ApiToken
from sessions.models import Person


def api_tokens_list(*, person: Person, limit: int, offset: int) -> list[ApiToken]:
    """The tokens of a person, the newest first, also those that ended."""
    return list(ApiToken.objects.filter(person=person)[offset : offset + limit])


def api_token_get(*, person: Person, token_id: str) -> ApiToken:
    """One token of a person. Raises NotFound, also for a token of somebody else."""
    token = ApiToken.objects.filter(person=person, pk=token_id).first()
    if token is None:
        raise NotFound(_("You have no API token %(id)s.") % {"id": token_id})
    return token
