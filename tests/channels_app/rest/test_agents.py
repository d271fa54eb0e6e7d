"""Agents over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Agent
from tests.channels_app.rest.api import Api


def test_it_works(api: Api) -> None:
    """Make one, look at it, change it, remove it."""
    made = api.post("agents/", {"name": "Ops Desk"})
    assert (made.status, made.body["id"], made.body["isDefault"]) == (201, "ops-desk", False)
    changed = api.patch(
        "agents/ops-desk/", {"systemPrompt": "Be brief.", "timeoutSeconds": 60, "thinking": "low"}
    )
    assert (changed.body["systemPrompt"], changed.body["timeoutSeconds"]) == ("Be brief.", 60)
    assert api.get("agents/ops-desk/").body == changed.body
    assert [agent["id"] for agent in api.get("agents/").body] == ["main", "ops-desk"]
    assert api.delete("agents/ops-desk/").status == 204
    missing = api.get("agents/ops-desk/")
    assert (missing.status, missing.error["code"]) == (404, "not_found")


def test_members_see_which_agents_there_are(member_api: Api) -> None:
    """Workspaces and prompts are for administrators."""
    assert set(member_api.get("agents/main/").body) == {
        "id", "name", "isDefault", "enabled", "model",
    }  # fmt: skip
    assert member_api.post("agents/", {"name": "x"}).status == 403


def test_default_moves(api: Api) -> None:
    """Making one the default takes it from the one before; it cannot simply be given up."""
    api.post("agents/", {"name": "Second"})
    assert api.patch("agents/second/", {"isDefault": True}).body["isDefault"]
    assert list(Agent.objects.filter(is_default=True).values_list("slug", flat=True)) == ["second"]
    refused = api.patch("agents/second/", {"isDefault": False})
    assert refused.status == 400
    assert api.delete("agents/second/").status == 400


def test_taken_id_is_a_conflict(api: Api) -> None:
    """Two agents cannot have one id."""
    answer = api.post("agents/", {"name": "Main", "id": "main"})
    assert (answer.status, answer.error["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"name": "x", "colour": "red"}, "colour"),
        ({"name": "x", "workspase": "/tmp/x"}, "workspace"),
        ({"name": "x", "id": "Not An Id"}, "id"),
        ({"name": "x", "model": "nobody/nothing"}, "nobody"),
        ([1], "Invalid data"),
    ],
)
def test_bad_input_is_named(api: Api, body: Any, field: str) -> None:
    """The field that is wrong, or the nearest one that is known."""
    answer = api.post("agents/", body)
    assert answer.status == 400
    assert field in answer.error["message"]
    assert Agent.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {"timeoutSeconds": -1},
        {"timeoutSeconds": 10**9},
        {"maxConcurrent": 0},
        {"thinking": "hard"},
        {"fallbacks": "one"},
        {"id": "other"},
        {"enabled": "perhaps"},
    ],
)
def test_bad_change_is_named(api: Api, body: dict[str, Any]) -> None:
    """Nothing is changed then."""
    answer = api.patch("agents/main/", body)
    assert answer.status == 400
    assert answer.error["message"].startswith(f"{next(iter(body))}: ")
    assert set(answer.error["details"]["fields"]) == set(body)


def test_broken_json_is_told(api: Api) -> None:
    """Before anything else is looked at."""
    response = api.client.post(
        "/api/agents/",
        "{",
        content_type="application/json",
        headers={"Authorization": f"Bearer {api.raw}"},
    )
    assert response.status_code == 400
    assert "JSON" in response.json()["error"]["message"]
