"""Agents are saved through their services, and what is wrong is told beside the field."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from agents.models import Agent, Binding

FORM = {"slug": "ops", "name": "Ops", "enabled": "on", "settings": "{}"}


def errors(answer: Any) -> dict[str, Any]:
    """The errors of a form that was not taken."""
    assert answer.status_code == 200
    found: dict[str, Any] = answer.context["adminform"].form.errors
    return found


def change_path(slug: str) -> str:
    """The page of an agent."""
    return f"/admin/agents/agent/{Agent.objects.get(slug=slug).pk}/change/"


def test_it_works(page: Client) -> None:
    """Everything the form has is in the row."""
    form = {
        **FORM,
        "model": "rehearsal/rehearsal",
        "fallbacks": "openai/gpt-6-luna\nanthropic/claude-sonnet-5-5\n",
        "thinking": "low",
        "timeout_seconds": "60",
        "system_prompt": "Be brief.",
    }
    assert page.post("/admin/agents/agent/add/", form).status_code == 302
    agent = Agent.objects.get(slug="ops")
    assert (agent.name, agent.model, agent.thinking) == ("Ops", "rehearsal/rehearsal", "low")
    assert agent.fallbacks == ["openai/gpt-6-luna", "anthropic/claude-sonnet-5-5"]
    assert (agent.timeout_seconds, agent.system_prompt) == (60, "Be brief.")


def test_default_moves(page: Client) -> None:
    """Saving another agent as the default takes that from the one before."""
    page.post("/admin/agents/agent/add/", {**FORM, "is_default": "on"})
    assert [agent.slug for agent in Agent.objects.filter(is_default=True)] == ["ops"]
    page.post(change_path("main"), {"enabled": "on", "is_default": "on", "settings": "{}"})
    assert [agent.slug for agent in Agent.objects.filter(is_default=True)] == ["main"]


def test_there_is_always_a_default_that_works(page: Client) -> None:
    """It cannot be given up, switched off or deleted."""
    path = change_path("main")
    assert "is_default" in errors(page.post(path, {"enabled": "on", "settings": "{}"}))
    assert "enabled" in errors(page.post(path, {"is_default": "on", "settings": "{}"}))
    delete = path.replace("/change/", "/delete/")
    assert page.post(delete, {"post": "yes"}).status_code == 403
    main = Agent.objects.get(slug="main")
    page.post("/admin/agents/agent/", {"action": "switch_off", "_selected_action": main.pk})
    page.post(
        "/admin/agents/agent/",
        {"action": "delete_selected", "_selected_action": main.pk, "post": "yes"},
    )
    main.refresh_from_db()
    assert main.enabled


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slug", "Not An Id"),
        ("slug", "defaults"),
        ("slug", "main"),
        ("model", "nobody/nothing"),
        ("workspace", "{home}"),
        ("fallbacks", "a\na"),
        ("thinking", "hard"),
        ("settings", "{"),
        ("settings", "[]"),
        ("timeout_seconds", "-1"),
    ],
)
def test_mistake_is_told_beside_its_field(page: Client, field: str, value: str) -> None:
    """And nothing is stored."""
    form = {**FORM, field: value.replace("{home}", str(settings.OPENCLAW.home))}
    assert list(errors(page.post("/admin/agents/agent/add/", form))) == [field]
    assert Agent.objects.count() == 1


def test_fallbacks_can_be_switched_off(page: Client) -> None:
    """A single dash is the empty list; nothing at all inherits."""
    path = change_path("main")
    form = {"enabled": "on", "is_default": "on", "settings": "{}"}
    page.post(path, {**form, "fallbacks": "-"})
    assert Agent.objects.get(slug="main").fallbacks == []
    assert page.get(path).context["adminform"].form["fallbacks"].value() == "-"
    page.post(path, {**form, "fallbacks": ""})
    assert Agent.objects.get(slug="main").fallbacks is None


def test_id_stays(page: Client) -> None:
    """Sessions know an agent by it."""
    page.post(change_path("main"), {"slug": "x", "is_default": "on", "enabled": "on"})
    assert Agent.objects.filter(slug="main").exists()


def test_switching_off_and_deleting_many(page: Client) -> None:
    """By the actions of the list."""
    page.post("/admin/agents/agent/add/", FORM)
    ops = Agent.objects.get(slug="ops")
    Binding.objects.create(agent=ops, channel="telegram")
    page.post("/admin/agents/agent/", {"action": "switch_off", "_selected_action": ops.pk})
    ops.refresh_from_db()
    assert not ops.enabled
    page.post(
        "/admin/agents/agent/",
        {"action": "delete_selected", "_selected_action": ops.pk, "post": "yes"},
    )
    assert not Agent.objects.filter(slug="ops").exists()
    assert not Binding.objects.exists()
