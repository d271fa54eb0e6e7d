"""A credential that cannot be decrypted concerns its own provider only."""

from __future__ import annotations

import pytest
from django.db import connection

from agents.catalog.resolve import resolve_model
from agents.config.cache import cache_clear
from agents.core.errors import UserError
from agents.models import AuthProfile, Provider

pytestmark = pytest.mark.django_db


def provider_make(name: str) -> None:
    Provider.objects.create(
        name=name,
        api=Provider.Api.OPENAI_COMPLETIONS,
        base_url=f"https://{name}.example/v1",
        catalog=[{"id": "m"}],
    )
    AuthProfile.objects.create(name=f"{name}:default", provider=name, secret=f"key-of-{name}")


def test_it_works() -> None:
    provider_make("well")
    assert resolve_model(ref="well/m").api_key == "key-of-well"


def test_others_still_resolve() -> None:
    provider_make("well")
    provider_make("lost")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE agents_authprofile SET secret = 'f1:gAAAAA' WHERE provider = 'lost'")
    cache_clear()
    assert resolve_model(ref="well/m").api_key == "key-of-well"
    with pytest.raises(UserError, match="lost"):
        resolve_model(ref="lost/m")
