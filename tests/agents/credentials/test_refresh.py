"""Tokens are renewed before they end, once, and what was bought is kept."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.db import connection

from agents.core.errors import ProviderError
from agents.credentials import refresh
from agents.credentials.credential import Credential
from agents.credentials.refresh import (
    credential_ready,
    credential_refresh,
    credential_renewed,
    credentials_refresh_due,
    is_due,
)
from agents.credentials.refreshers import REFRESHERS
from agents.credentials.selectors import credentials_for
from agents.credentials.services import credential_failed
from agents.models import AuthProfile
from tests.agents.credentials.conftest import LAB, profile_make
from tests.agents.credentials.token_server import TokenService, token_service

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "lab:me"


@pytest.fixture
def service() -> Iterator[TokenService]:
    with token_service() as running:
        yield running


def token_make(service: TokenService, *, seconds: float) -> AuthProfile:
    """An OAuth credential whose token ends in `seconds`."""
    expires = int((time.time() + seconds) * 1000)
    data = {"tokenUrl": service.url, "clientId": "us", "expires": expires, "email": "a@b"}
    return profile_make(NAME, mode="oauth", secret="old", refresh="refresh-0", data=data)


def asked_wait(service: TokenService) -> None:
    """Until the service was asked for a token."""
    while not service.asked:
        time.sleep(0.01)


def found() -> Credential:
    return credentials_for(model=LAB, agent="main")[0]


def stored() -> AuthProfile:
    return AuthProfile.objects.get(name=NAME)


def test_it_works(service: TokenService) -> None:
    """Within five minutes of its end; the rotated refresh token is kept, facts stay."""
    token_make(service, seconds=200)
    ready = credential_ready(credential=found())
    assert ready.key == "access-1"
    assert (stored().secret, stored().refresh) == ("access-1", "refresh-1")
    assert stored().data["email"] == "a@b"
    assert found().key == "access-1"
    assert not is_due(found())
    asked = {"grant_type": "refresh_token", "refresh_token": "refresh-0", "client_id": "us"}
    assert service.asked == [asked]


def test_not_before(service: TokenService) -> None:
    token_make(service, seconds=400)
    assert credential_ready(credential=found()).key == "old"
    assert service.asked == []
    assert credentials_refresh_due() == 1
    assert credentials_refresh_due() == 0


def test_forced(service: TokenService) -> None:
    """After a 401; and when another worker was faster, its token is the answer."""
    token_make(service, seconds=9000)
    old = found()
    assert credential_refresh(credential=old).key == "access-1"
    assert credential_refresh(credential=old).key == "access-1"
    assert len(service.asked) == 1


def test_many_at_once_ask_once(service: TokenService) -> None:
    token_make(service, seconds=-5)
    old, keys = found(), []
    service.gate.clear()

    def work() -> None:
        keys.append(credential_ready(credential=old).key)
        connection.close()

    threads = [threading.Thread(target=work) for _index in range(5)]
    for thread in threads:
        thread.start()
    asked_wait(service)
    service.gate.set()
    for thread in threads:
        thread.join(30)
    assert keys == ["access-1"] * 5
    assert len(service.asked) == 1


def test_token_that_holds_is_used_while_another_renews(service: TokenService) -> None:
    token_make(service, seconds=200)
    old = found()
    service.gate.clear()

    def work() -> None:
        credential_ready(credential=old)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    asked_wait(service)
    assert credential_ready(credential=old).key == "old"
    service.gate.set()
    thread.join(30)
    assert stored().secret == "access-1"


def test_failure_while_the_token_holds_is_no_error(service: TokenService) -> None:
    token_make(service, seconds=200)
    service.failure = (503, "")
    assert credential_ready(credential=found()).key == "old"
    assert credential_ready(credential=found()).key == "old"
    assert len(service.asked) == 1
    assert stored().refreshing_until is None


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        ((400, "invalid_grant"), "auth_permanent"),
        ((503, ""), "auth"),
        ((401, "nonsense"), "auth"),
    ],
)
def test_failure_of_an_ended_token(
    service: TokenService, failure: tuple[int, str], reason: str
) -> None:
    token_make(service, seconds=-5)
    service.failure = failure
    with pytest.raises(ProviderError) as caught:
        credential_ready(credential=found())
    assert caught.value.reason == reason
    service.failure = None
    assert credential_refresh(credential=found()).key == "access-2"


def test_secret_put_in_meanwhile_wins(service: TokenService) -> None:
    token_make(service, seconds=-5)
    old, keys = found(), []
    service.gate.clear()

    def work() -> None:
        keys.append(credential_ready(credential=old).key)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    asked_wait(service)
    row = stored()
    row.secret, row.refreshing_until = "by hand", None
    row.save()
    service.gate.set()
    thread.join(30)
    assert (keys, stored().secret) == (["by hand"], "by hand")


def test_renewal_lifts_a_refusal_but_no_limit(service: TokenService) -> None:
    token_make(service, seconds=9000)
    credential_failed(credential=NAME, model="small", reason="auth_permanent")
    credential_failed(credential=NAME, model="big", reason="rate_limit")
    assert found().permanent
    credential_refresh(credential=found())
    assert found().usable
    big = credentials_for(model=LAB.__class__(**{**_fields(), "id": "big"}), agent="main")[0]
    assert big.reason == "rate_limit"


def _fields() -> dict[str, Any]:
    return {"provider": LAB.provider, "api": LAB.api, "base_url": LAB.base_url}


async def test_asynchronous_callers(service: TokenService) -> None:
    """The loop goes on while the token is bought."""
    await asyncio.to_thread(_in_thread, service)
    old = await asyncio.to_thread(_found_in_thread)
    service.gate.clear()
    tasks = [asyncio.create_task(credential_renewed(old)) for _index in range(3)]
    await asyncio.to_thread(asked_wait, service)
    service.gate.set()
    assert {one.key for one in await asyncio.gather(*tasks)} == {"access-1"}
    assert len(service.asked) == 1


def _in_thread(service: TokenService) -> None:
    token_make(service, seconds=-5)
    connection.close()


def _found_in_thread() -> Credential:
    try:
        return found()
    finally:
        connection.close()


def test_refresher_of_a_provider() -> None:
    """Registered by its name, it needs no address; what it raises is told."""

    def fresh(profile: AuthProfile) -> Mapping[str, Any]:
        if profile.refresh == "bad":
            raise ProviderError("sign in again", reason="auth_permanent")
        return {"secret": f"short-for-{profile.refresh}", "data": {"expires": 9e12}}

    REFRESHERS.register("short-lived", fresh)
    profile_make("short-lived:me", mode="oauth", secret="", refresh="long")
    model = LAB.__class__(provider="short-lived", id="x", api="openai-completions")
    credential = credentials_for(model=model, agent="main")[0]
    assert credential.key == ""
    assert credential_ready(credential=credential).key == "short-for-long"
    AuthProfile.objects.filter(provider="short-lived").update(refresh="bad")
    with pytest.raises(ProviderError, match="sign in again"):
        credential_refresh(credential=credentials_for(model=model, agent="main")[0])


def test_hanging_service_is_left(service: TokenService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refresh, "TIMEOUT", 0.2)
    token_make(service, seconds=-5)
    service.gate.clear()
    with pytest.raises(ProviderError, match="within"):
        credential_ready(credential=found())


@pytest.mark.parametrize("address", ["http://tokens.example/t", "ftp://x", ""])
def test_tokens_go_over_tls_only(address: str, service: TokenService) -> None:
    row = token_make(service, seconds=-5)
    row.data = {**row.data, "tokenUrl": address or "nonsense"}
    row.save()
    with pytest.raises(ProviderError, match="https"):
        credential_ready(credential=found())
    assert service.asked == []
