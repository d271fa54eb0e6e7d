"""Rests as the rows keep them: what they concern, what ends them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.core.errors import ProviderReason
from agents.credentials.credential import Credential, soonest_end
from agents.credentials.selectors import credentials_for
from agents.credentials.services import (
    credential_failed,
    credential_lift,
    credential_probe,
    credential_succeeded,
)
from agents.models import AuthProfile, ProfileState
from tests.agents.credentials.conftest import LAB, OPENAI, profile_make

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "lab:work"
BIG = replace(LAB, id="big")


@pytest.fixture(autouse=True)
def profile() -> AuthProfile:
    return profile_make(NAME)


def fail(reason: ProviderReason, model: str = "small", **fields: object) -> None:
    credential_failed(credential=NAME, model=model, reason=reason, **fields)  # type: ignore[arg-type]


def found(model: object = LAB) -> Credential:
    return credentials_for(model=model, agent="main")[0]  # type: ignore[arg-type]


def later(seconds: float) -> None:
    """Moves every stored time into the past: as if it were later now."""
    for row in ProfileState.objects.all():
        for field in ("until", "last_failure_at", "last_used_at", "last_probe_at"):
            if (moment := getattr(row, field)) is not None:
                setattr(row, field, moment - timedelta(seconds=seconds))
        row.save()
    cache_clear()


def test_it_works() -> None:
    """Two models on one credential: the limit of one is not the other's."""
    fail("rate_limit", message=f"slow down, key-of-{NAME}")
    assert found().reason == "rate_limit"
    assert found().rests_until is not None
    assert found(BIG).usable
    assert "key-of" not in ProfileState.objects.get().message


@pytest.mark.parametrize("reason", ["rate_limit", "overloaded", "timeout", "model_not_found"])
def test_one_model(reason: ProviderReason) -> None:
    fail(reason, model="lab/small")
    assert not found().usable
    assert found(BIG).usable


@pytest.mark.parametrize("reason", ["auth", "billing"])
def test_whole_credential(reason: ProviderReason) -> None:
    fail(reason)
    assert found(BIG).reason == reason
    assert found(BIG).rests_until is not None


@pytest.mark.parametrize("reason", ["format", "context_overflow", "unclassified", "aborted"])
def test_faults_of_the_request_leave_no_trace(reason: ProviderReason) -> None:
    fail(reason)
    assert found().usable
    assert not ProfileState.objects.exists()


def test_failures_during_a_rest_count_once() -> None:
    for _index in range(3):
        fail("rate_limit")
        cache_clear()
    assert ProfileState.objects.get().error_count == 1


def test_half_open_after_the_rest() -> None:
    fail("timeout")
    later(61)
    assert found().usable
    fail("timeout")
    row = ProfileState.objects.get()
    assert row.error_count == 2
    assert row.until is not None
    assert timedelta(seconds=110) < row.until - timezone.now() <= timedelta(seconds=120)
    later(121)
    credential_succeeded(credential=NAME, model="small")
    row = ProfileState.objects.get(model="small")
    assert (row.error_count, row.until, row.reason) == (0, None, "")


def test_retry_after_wins_when_longer() -> None:
    fail("rate_limit", retry_after=900)
    row = ProfileState.objects.get()
    assert row.until is not None
    assert row.until - timezone.now() > timedelta(seconds=890)


def test_refused_for_good_until_edited(profile: AuthProfile) -> None:
    fail("auth_permanent")
    assert found().permanent
    later(99_999)
    assert found().permanent
    profile.secret = "another"
    profile.save()
    assert found().usable


def test_failure_of_a_replaced_secret_counts_not(profile: AuthProfile) -> None:
    profile.secret = "another"
    profile.save()
    fail("auth_permanent", key=f"key-of-{NAME}")
    assert found().usable
    fail("auth_permanent", key="another")
    assert found().permanent


def test_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    credential_failed(credential="env:openai", model="gpt", reason="auth_permanent")
    assert found(OPENAI).permanent
    monkeypatch.setenv("OPENAI_API_KEY", "sk-2")
    assert found(OPENAI).usable


def test_lifted_by_a_person() -> None:
    fail("billing")
    fail("rate_limit")
    assert credential_lift(credential=NAME, model="small") == 1
    assert found().reason == "billing"
    assert credential_lift(credential=NAME) == 1
    assert found().usable


def test_resting_ones_go_last_by_their_end() -> None:
    for name in ("lab:a", "lab:b", "lab:c", "lab:d"):
        profile_make(name)
    credential_failed(credential="lab:a", model="small", reason="auth_permanent")
    credential_failed(credential="lab:b", model="small", reason="rate_limit", retry_after=600)
    credential_failed(credential="lab:c", model="small", reason="rate_limit")
    ordered = credentials_for(model=LAB, agent="main")
    assert [one.id for one in ordered] == ["lab:d", NAME, "lab:c", "lab:b", "lab:a"]
    assert soonest_end(ordered) == ordered[2].rests_until
    chosen = credentials_for(model=LAB, agent="main", preferred="lab:c", pinned=True)
    assert chosen[0].id == "lab:d"


def test_chosen_one_stays_when_there_is_no_other() -> None:
    fail("rate_limit")
    chosen = credentials_for(model=LAB, agent="main", preferred=NAME, pinned=True)
    assert [one.id for one in chosen] == [NAME]


def test_probe_is_taken_once() -> None:
    fail("rate_limit", retry_after=600)
    assert not credential_probe(credential=NAME, model="small")
    later(500)
    assert credential_probe(credential=NAME, model="small")
    assert not credential_probe(credential=NAME, model="small")
    credential_succeeded(credential=NAME, model="small")
    assert found().usable
    assert not credential_probe(credential=NAME, model="small")


def test_settings_act() -> None:
    config_apply(
        text="""{auth: {cooldowns: {backoffSeconds: 10, maxBackoffSeconds: 20,
          billingBackoffHoursByProvider: {lab: 1}}}}"""
    )
    fail("rate_limit")
    fail("billing")
    rests = {row.model: row.until - timezone.now() for row in ProfileState.objects.all()}  # type: ignore[operator]
    assert rests["small"] <= timedelta(seconds=10)
    assert timedelta(minutes=59) < rests[""] <= timedelta(hours=1)


def test_nothing_is_asked_or_written_without_need() -> None:
    credential_succeeded(credential=NAME, model="small")
    found()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        found()
        credential_succeeded(credential=NAME, model="small")
    assert len(queries) == 0
