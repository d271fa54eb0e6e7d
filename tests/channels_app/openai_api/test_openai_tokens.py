"""API tokens of people: their own sessions, no more than their scopes, until they end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import AsyncClient
from django.utils import timezone

from agents.config.services import config_apply
from agents.core.errors import UserError
from agents.database import run_db
from channels_app.tokens import api_token_create, api_token_revoke
from sessions.models import Person
from sessions.people import person_for_user

READ = ["operator.read"]
pytestmark = pytest.mark.django_db(transaction=True)


def _person(name: str = "ada") -> Person:
    user = get_user_model()._default_manager.create_user(username=name, password="secret")
    return person_for_user(user=user)


async def _models(raw: str) -> Any:
    return await AsyncClient().get("/v1/models", headers={"Authorization": f"Bearer {raw}"})


async def test_it_works() -> None:
    def make() -> str:
        return api_token_create(person=_person(), name="script", scopes=READ)[1]

    raw = await run_db(make)
    assert raw.startswith("oct_")
    response = await _models(raw)
    assert response.status_code == 200
    assert response.json()["data"][0]["id"] == "openclaw"
    assert (await _models(raw + "x")).status_code == 401


async def test_a_token_that_only_reads() -> None:
    def make() -> str:
        return api_token_create(person=_person(), name="script", scopes=READ)[1]

    raw = await run_db(make)
    response = await AsyncClient().post(
        "/v1/chat/completions",
        data={"model": "openclaw", "messages": [{"role": "user", "content": "hi"}]},
        content_type="application/json",
        headers={"Authorization": f"Bearer {raw}"},
    )
    assert response.status_code == 403
    assert response.json()["error"]["message"] == "The token lacks the scope operator.write."


async def test_tokens_end() -> None:
    def make(ended: str) -> str:
        person = Person.objects.filter(name="ada").first() or _person()
        expires = timezone.now() - timedelta(seconds=1) if ended == "expired" else None
        token, raw = api_token_create(person=person, name=ended, scopes=READ, expires_at=expires)
        if ended == "revoked":
            api_token_revoke(token=token)
        return raw

    for ended in ("expired", "revoked"):
        assert (await _models(await run_db(make, ended))).status_code == 401


async def test_nobody_grants_what_they_do_not_have() -> None:
    def make(scope: str) -> None:
        person = Person.objects.filter(name="ada").first() or _person()
        api_token_create(person=person, name="script", scopes=[scope])

    for scope in ("operator.admin", "operator.nonsense"):
        with pytest.raises(UserError):
            await run_db(make, scope)


async def test_the_interface_can_be_switched_off() -> None:
    document = '{"gateway": {"http": {"endpoints": {"chatCompletions": {"enabled": false}}}}}'
    await run_db(config_apply, text=document, author="test")
    assert (await _models("anything")).status_code == 404
