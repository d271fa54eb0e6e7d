"""Signing in to GitHub Copilot with a code: the service, the command, the pages, the renewal."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import httpx
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents.catalog.resolve import resolve_model
from agents.core.errors import Conflict, UserError
from agents.credentials.copilot import (
    device_signin_poll,
    device_signin_start,
    device_signin_wait,
)
from agents.models import AuthProfile, DeviceSignIn
from agents.providers.github_copilot.tokens import token_unpack
from scheduler.tasks import refresh_tokens
from tests.model_server.fixture import ModelServer
from tests.model_server.github import GITHUB_TOKEN

pytestmark = pytest.mark.django_db

Github = Callable[..., dict[str, Any]]


@pytest.fixture
def github(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Github:
    """Sets what the scripted GitHub does next and tells how it stands."""

    def tell(**values: Any) -> dict[str, Any]:
        state: dict[str, Any] = httpx.post(f"{model_server.url}/__github", json=values).json()
        return state

    monkeypatch.setenv("COPILOT_GITHUB_URL", model_server.url)
    tell(reset=True)
    return tell


def due(signin: DeviceSignIn) -> DeviceSignIn:
    """Lets the interval pass."""
    asked_at = timezone.now() - timedelta(seconds=signin.interval)
    DeviceSignIn.objects.filter(pk=signin.pk).update(asked_at=asked_at)
    return signin


def polled(signin: DeviceSignIn) -> DeviceSignIn:
    return device_signin_poll(signin=due(signin))


def signed_in(github: Github, name: str = "") -> AuthProfile:
    github(device="approved")
    signin = polled(device_signin_start(profile=name))
    assert signin.state == "done", signin.detail
    return AuthProfile.objects.get(name=signin.profile)


def test_it_works(github: Github) -> None:
    signin = device_signin_start()
    assert (signin.user_code, signin.state) == ("WDJB-MJHT", "waiting")
    assert polled(signin).state == "waiting"
    github(device="approved", asked_at=0)
    signin = polled(signin)
    assert (signin.state, signin.device_code) == ("done", "")
    profile = AuthProfile.objects.get(name="github-copilot:default")
    assert (profile.mode, profile.refresh) == ("oauth", GITHUB_TOKEN)
    bought = token_unpack(profile.secret)
    assert bought is not None
    assert profile.data["expires"] == bought.expires_at * 1000
    model = resolve_model(ref="")
    assert (model.provider, model.api_key) == ("github-copilot", profile.secret)


def test_it_never_asks_sooner_than_the_interval(github: Github) -> None:
    github(interval=60)
    signin = device_signin_start()
    for _ in range(3):
        assert device_signin_poll(signin=signin).state == "waiting"
    assert github()["device_checks"] == 0
    polled(signin)
    device_signin_poll(signin=signin)
    assert github()["device_checks"] == 1


def test_slow_down_makes_the_interval_longer(github: Github) -> None:
    signin = device_signin_start()
    github(device="slow_down")
    signin = polled(signin)
    assert (signin.state, signin.interval) == ("waiting", 6)
    DeviceSignIn.objects.filter(pk=signin.pk).update(asked_at=timezone.now() - timedelta(seconds=3))
    device_signin_poll(signin=signin)
    assert github()["device_checks"] == 1


@pytest.mark.parametrize("device", ["denied", "expired"])
def test_ends_without_a_credential(github: Github, device: str) -> None:
    github(device=device)
    signin = polled(device_signin_start())
    assert (signin.state, signin.device_code) == (device, "")
    assert not AuthProfile.objects.exists()
    checks = github()["device_checks"]
    assert polled(signin).state == device
    assert github()["device_checks"] == checks


def test_a_code_that_ran_out_is_not_asked_about(github: Github) -> None:
    signin = device_signin_start()
    DeviceSignIn.objects.filter(pk=signin.pk).update(expires_at=timezone.now())
    assert polled(signin).state == "expired"
    assert github()["device_checks"] == 0


def test_an_account_without_copilot_is_told_so(github: Github) -> None:
    github(device="approved", token_status=403)
    signin = polled(device_signin_start())
    assert signin.state == "failed"
    assert "may not use Copilot" in signin.detail
    assert not AuthProfile.objects.exists()


def test_signing_in_anew_renews_the_same_credential(github: Github) -> None:
    first = signed_in(github, "github-copilot:work")
    github(asked_at=0)
    again = signed_in(github, "github-copilot:work")
    assert (again.pk, AuthProfile.objects.count()) == (first.pk, 1)
    assert again.secret != first.secret
    assert again.edited_at > first.edited_at


def test_names_that_cannot_be(github: Github) -> None:
    AuthProfile.objects.create(name="mine", provider="openai", secret="sk")
    with pytest.raises(Conflict, match="Choose another name"):
        device_signin_start(profile="mine")
    with pytest.raises(UserError, match="Only github-copilot"):
        device_signin_start(provider="openai")
    with pytest.raises(UserError, match="too long"):
        device_signin_start(profile="x" * 121)


def test_the_tick_renews_what_ends_soon_and_nothing_else(github: Github) -> None:
    profile = signed_in(github)
    refresh_tokens()
    assert github()["tokens"] == 1
    soon = int((timezone.now() + timedelta(minutes=4)).timestamp() * 1000)
    profile.data = {**profile.data, "expires": soon}
    profile.save()
    refresh_tokens()
    assert github()["tokens"] == 2
    renewed = AuthProfile.objects.get(pk=profile.pk)
    assert renewed.secret != profile.secret
    assert renewed.data["expires"] > soon
    assert renewed.refresh == GITHUB_TOKEN


def test_a_withdrawn_github_token_leaves_the_credential_as_it_is(github: Github) -> None:
    profile = signed_in(github)
    AuthProfile.objects.filter(pk=profile.pk).update(data={"expires": 1})
    profile.refresh_from_db()
    profile.refresh = "gho_withdrawn"
    profile.save()
    refresh_tokens()
    assert AuthProfile.objects.get(pk=profile.pk).secret == profile.secret


@pytest.mark.django_db(transaction=True)
def test_the_command_prints_the_code_and_waits(github: Github) -> None:
    out = StringIO()
    later = threading.Timer(1.2, lambda: github(device="approved"))
    later.start()
    call_command("auth", "login", "github-copilot", "--profile", "github-copilot:me", stdout=out)
    later.join()
    text = out.getvalue()
    assert "/login/device and type the code WDJB-MJHT" in text
    assert "github-copilot:me" in text
    assert GITHUB_TOKEN not in text
    assert AuthProfile.objects.get(name="github-copilot:me").refresh == GITHUB_TOKEN


def test_the_command_says_why_not(github: Github) -> None:
    github(device="denied", interval=1)
    with pytest.raises(CommandError, match="Not signed in"):
        call_command("auth", "login", "github-copilot", stdout=StringIO())
    with pytest.raises(CommandError, match="Only github-copilot"):
        call_command("auth", "login", "anthropic", stdout=StringIO())


def test_waiting_keeps_to_the_interval(github: Github) -> None:
    rests: list[float] = []

    def rest(seconds: float) -> None:
        rests.append(seconds)
        due(DeviceSignIn.objects.get())
        if len(rests) == 3:
            github(device="denied")

    github(device="slow_down")
    assert device_signin_wait(signin=device_signin_start(), rest=rest).state == "denied"
    assert rests == [1, 6, 6]


def test_the_pages(github: Github, admin_client: Client) -> None:
    listed = admin_client.get(reverse("admin:agents_authprofile_changelist")).content.decode()
    start = reverse("admin:agents_devicesignin_start")
    assert start in listed
    assert "form" in admin_client.get(start).content.decode()
    begun = admin_client.post(start, {"profile": "github-copilot:page"})
    page = admin_client.get(begun["Location"])
    assert "WDJB-MJHT" in page.content.decode()
    assert page["Refresh"] == "1"
    github(device="approved")
    due(DeviceSignIn.objects.get())
    page = admin_client.get(begun["Location"])
    assert "Signed in." in page.content.decode()
    assert "Refresh" not in page
    for secret in (GITHUB_TOKEN, "device-secret", "tid="):
        assert not re.search(secret, page.content.decode())


def test_the_page_tells_of_github_s_silence(
    github: Github, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_GITHUB_URL", "http://127.0.0.1:9")
    page = admin_client.post(reverse("admin:agents_devicesignin_start"), {"profile": ""})
    assert "GitHub did not answer" in page.content.decode()
    assert not DeviceSignIn.objects.exists()


def test_strangers_see_nothing(github: Github, client: Client) -> None:
    signin = device_signin_start()
    for address in (
        reverse("admin:agents_devicesignin_start"),
        reverse("admin:agents_devicesignin_wait", args=[signin.pk]),
    ):
        assert client.get(address).status_code in (302, 403)
    assert github()["device_checks"] == 0
