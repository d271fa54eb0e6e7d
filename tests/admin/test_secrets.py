"""A secret goes in and never comes out."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test import Client

from agents.config.redaction import REDACTED, unseal
from agents.models import Agent, AuthProfile, ConfigSection, Provider
from agents.secrets import secret_seal

KEY = "sk-live-0123456789abcdef"
PROFILE = {"name": "lab:one", "provider": "lab", "mode": "api_key", "position": 0, "enabled": "on"}
PROVIDER = {
    "name": "lab",
    "api": "openai-completions",
    "base_url": "http://lab.local/v1",
    "enabled": "on",
    "catalog": "[]",
    "headers": "{}",
    "settings": "{}",
}


def secret_of(name: str) -> str:
    """What is stored, opened."""
    return str(AuthProfile.objects.get(name=name).secret)


def test_it_works(page: Client) -> None:
    """Set, shown as set, kept when left empty, replaced when entered anew."""
    page.post("/admin/agents/authprofile/add/", {**PROFILE, "new_secret": KEY})
    row = AuthProfile.objects.get()
    assert secret_of("lab:one") == KEY
    path = f"/admin/agents/authprofile/{row.pk}/change/"
    for shown in (page.get("/admin/agents/authprofile/"), page.get(path)):
        assert KEY not in shown.content.decode()
    page.post(path, {**PROFILE, "position": 3, "new_secret": ""})
    row.refresh_from_db()
    assert (row.position, secret_of("lab:one")) == (3, KEY)
    page.post(path, {**PROFILE, "new_secret": "sk-new"})
    assert secret_of("lab:one") == "sk-new"
    assert KEY not in page.get(f"/admin/agents/authprofile/{row.pk}/history/").content.decode()


def test_new_credential_needs_a_secret(page: Client) -> None:
    """The form says so."""
    answer = page.post("/admin/agents/authprofile/add/", PROFILE)
    assert list(answer.context["adminform"].form.errors) == ["new_secret"]
    assert not AuthProfile.objects.exists()


def test_secret_of_a_lost_key_can_be_entered_anew(page: Client) -> None:
    """A row that cannot be opened any more does not lock the page."""
    row = AuthProfile.objects.create(name="lab:one", provider="lab", secret="x")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE agents_authprofile SET secret = %s", ["f1:not-a-token"])
    path = f"/admin/agents/authprofile/{row.pk}/change/"
    assert page.get("/admin/agents/authprofile/").status_code == 200
    assert page.get(path).status_code == 200
    page.post(path, {**PROFILE, "new_secret": KEY})
    assert secret_of("lab:one") == KEY


def test_provider_and_its_key_in_one_form(page: Client) -> None:
    """The key is a credential of its own and goes with the provider."""
    page.post("/admin/agents/provider/add/", {**PROVIDER, "new_key": KEY})
    provider = Provider.objects.get()
    assert secret_of("lab:default") == KEY
    path = f"/admin/agents/provider/{provider.pk}"
    assert KEY not in page.get(f"{path}/change/").content.decode()
    page.post(f"{path}/change/", {**PROVIDER, "new_key": ""})
    assert secret_of("lab:default") == KEY
    page.post(f"{path}/change/", {**PROVIDER, "key_removed": "on"})
    assert not AuthProfile.objects.exists()
    page.post(f"{path}/change/", {**PROVIDER, "new_key": KEY})
    page.post(f"{path}/delete/", {"post": "yes"})
    assert not AuthProfile.objects.exists()


def test_secrets_inside_json_are_marks(page: Client) -> None:
    """A mark that is left keeps what is stored, and what is stored is encrypted."""
    headers = json.dumps({"X-Api-Key": KEY, "X-Team": "ops"})
    page.post("/admin/agents/provider/add/", {**PROVIDER, "headers": headers})
    provider = Provider.objects.get()
    assert KEY not in json.dumps(provider.headers)
    path = f"/admin/agents/provider/{provider.pk}/change/"
    shown = page.get(path).content.decode()
    assert KEY not in shown
    assert REDACTED in shown
    changed = json.dumps({"X-Api-Key": REDACTED, "X-Team": "dev"})
    page.post(path, {**PROVIDER, "headers": changed})
    provider.refresh_from_db()
    assert unseal(provider.headers) == {"X-Api-Key": KEY, "X-Team": "dev"}


def test_mark_for_nothing_is_refused(page: Client) -> None:
    """There is nothing that it could stand for."""
    headers = json.dumps({"X-Api-Key": REDACTED})
    answer = page.post("/admin/agents/provider/add/", {**PROVIDER, "headers": headers})
    assert answer.status_code == 200
    assert not Provider.objects.exists()


def test_agents_further_settings_are_sealed(page: Client) -> None:
    """The same holds for what an agent's entry keeps."""
    agent = Agent.objects.get(slug="main")
    form = {"is_default": "on", "enabled": "on", "settings": json.dumps({"apiKey": KEY})}
    page.post(f"/admin/agents/agent/{agent.pk}/change/", form)
    agent.refresh_from_db()
    assert KEY not in json.dumps(agent.settings)
    assert unseal(agent.settings) == {"apiKey": KEY}
    assert KEY not in page.get(f"/admin/agents/agent/{agent.pk}/change/").content.decode()


@pytest.mark.parametrize("sealed", [True, False])
def test_stored_sections_show_no_secret(page: Client, sealed: bool) -> None:
    """Neither in the open nor encrypted."""
    secret = {"$sealed": secret_seal(text=KEY)} if sealed else KEY
    row = ConfigSection.objects.create(name="channels", document={"botToken": secret})
    shown = page.get(f"/admin/agents/configsection/{row.pk}/change/").content.decode()
    assert KEY not in shown
    assert "f1:" not in shown
    assert REDACTED in shown
