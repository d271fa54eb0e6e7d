"""Credentials of every kind, and the rests they take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from agents.core.model import ModelInfo
from agents.credentials.selectors import credentials_for
from agents.credentials.services import credential_failed
from agents.models import AuthProfile, ProfileState

ADD = "/admin/agents/authprofile/add/"
LAB = ModelInfo(provider="lab", id="m", api="openai-completions")


def form(**values: Any) -> dict[str, Any]:
    fields = {
        "name": "lab:one", "provider": "lab", "agent": "", "mode": "api_key", "position": 0,
        "enabled": "on", "data": "{}", "new_secret": "sk-1", "new_refresh": "",
    }  # fmt: skip
    if isinstance(values.get("data"), dict):
        values["data"] = json.dumps(values["data"])
    return {**fields, **values}


def errors(page: Client, path: str = ADD, **values: Any) -> dict[str, list[str]]:
    answer = page.post(path, form(**values))
    assert answer.status_code == 200
    return dict(answer.context["adminform"].form.errors)


def change(row: AuthProfile) -> str:
    return f"/admin/agents/authprofile/{row.pk}/change/"


def test_it_works(page: Client) -> None:
    """OAuth with its facts; neither secret is shown again."""
    data = {"tokenUrl": "https://lab.example/token", "clientId": "us", "expires": 1}
    page.post(ADD, form(mode="oauth", agent="main", new_refresh="rt-1", data=data))
    row = AuthProfile.objects.get()
    assert (row.secret, row.refresh, row.agent) == ("sk-1", "rt-1", "main")
    assert row.data == data
    shown = page.get(change(row)).content.decode()
    assert "sk-1" not in shown
    assert "rt-1" not in shown


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"name": "env:lab"}, "name"),
        ({"agent": "nobody"}, "agent"),
        ({"mode": "token", "new_secret": ""}, "new_secret"),
        ({"mode": "oauth", "new_secret": ""}, "new_secret"),
        ({"new_refresh": "rt"}, "new_refresh"),
        ({"mode": "aws", "new_secret": "", "data": {"accessKeyId": "A"}}, "new_secret"),
        ({"data": {"tokenurl": "https://x"}}, "data"),
        ({"data": {"apiKey": "sk"}}, "data"),
        ({"data": {"expires": "soon"}}, "data"),
        ({"data": {"email": 5}}, "data"),
        ({"data": {"tokenUrl": "http://lab.example/token"}}, "data"),
        ({"data": "[1]"}, "data"),
    ],
)
def test_mistakes_are_told_beside_their_field(
    page: Client, values: dict[str, Any], field: str
) -> None:
    assert list(errors(page, **values)) == [field]
    assert not AuthProfile.objects.exists()


def test_aws_needs_no_secret(page: Client) -> None:
    page.post(ADD, form(mode="aws", new_secret="", data={"awsProfile": "work"}))
    assert AuthProfile.objects.get().data == {"awsProfile": "work"}
    assert "AWS" in page.get("/admin/agents/authprofile/").content.decode()


def test_secret_goes_to_no_other_provider(page: Client) -> None:
    page.post(ADD, form())
    row = AuthProfile.objects.get()
    assert list(errors(page, change(row), provider="other", new_secret="")) == ["new_secret"]
    page.post(change(row), form(provider="other", new_secret="sk-2"))
    row.refresh_from_db()
    assert (row.provider, row.secret) == ("other", "sk-2")


def test_what_is_not_changed_stays_as_it_is_now(page: Client) -> None:
    """A token may have been renewed while the form was open."""
    page.post(ADD, form(mode="oauth", new_refresh="rt", data={"expires": 1}))
    row = AuthProfile.objects.get()
    AuthProfile.objects.update(secret="renewed")
    page.post(change(row), form(mode="oauth", position=4, new_secret="", data={"expires": 1}))
    row.refresh_from_db()
    assert (row.secret, row.refresh, row.position) == ("renewed", "rt", 4)


@pytest.mark.django_db(transaction=True)
def test_same_secret_put_in_anew_ends_a_refusal(page: Client) -> None:
    page.post(ADD, form())
    credential_failed(credential="lab:one", model="m", reason="auth_permanent")
    assert credentials_for(model=LAB, agent="main")[0].permanent
    page.post(change(AuthProfile.objects.get()), form())
    assert credentials_for(model=LAB, agent="main")[0].usable


@pytest.mark.django_db(transaction=True)
def test_rest_is_ended_by_hand(page: Client) -> None:
    page.post(ADD, form())
    credential_failed(credential="lab:one", model="m", reason="rate_limit", message="slow <b>")
    path = "/admin/agents/profilestate/"
    shown = page.get(path).content.decode()
    row = ProfileState.objects.get()
    assert "too many requests" in shown
    assert "slow &lt;b&gt;" in page.get(f"{path}{row.pk}/change/").content.decode()
    page.post(path, {"action": "rests_end", "_selected_action": [row.pk]})
    assert credentials_for(model=LAB, agent="main")[0].usable
