"""The configuration document in the admin."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from agents.models import Agent, ConfigRevision

PATH = "/admin/agents/configsection/document/"


def document(page: Client) -> Any:
    """What the page offers to edit."""
    return json.loads(page.get(PATH).context["form"]["text"].value())


def test_it_works(page: Client) -> None:
    """Change, apply, look, go back."""
    text = document(page)
    text["agents"]["list"].append({"id": "ops", "name": "Ops"})
    answer = page.post(PATH, {"text": json.dumps(text), "note": "a desk", "apply": ""}, follow=True)
    assert b"is changed" in answer.content
    assert Agent.objects.filter(slug="ops").exists()
    revision = ConfigRevision.objects.get()
    assert (revision.author, revision.note) == ("olga", "a desk")
    back = {"action": "go_back", "_selected_action": revision.pk}
    page.post("/admin/agents/configrevision/", back)
    assert not Agent.objects.filter(slug="ops").exists()


def test_checking_writes_nothing(page: Client) -> None:
    """The page says whether it could be applied."""
    answer = page.post(PATH, {"text": '{agents: {ops: {name: "Ops"}}}', "check": ""})
    assert b"can be applied" in answer.content
    assert not Agent.objects.filter(slug="ops").exists()
    assert not ConfigRevision.objects.exists()


def test_mistakes_are_named_and_the_text_stays(page: Client) -> None:
    """With line and path; nothing is written."""
    text = '{\n  agents: {list: [{id: "main"}]},\n  mesages: {}\n}'
    answer = page.post(PATH, {"text": text, "apply": ""})
    assert answer.status_code == 200
    shown = answer.content.decode()
    assert "mesages" in shown
    assert "line 3" in shown
    assert answer.context["form"]["text"].value() == text
    assert not ConfigRevision.objects.exists()


def test_same_document_changes_nothing(page: Client) -> None:
    """Secrets are marks in it, and marks keep what is stored."""
    text = json.dumps(document(page))
    answer = page.post(PATH, {"text": text, "apply": ""}, follow=True)
    assert b"Nothing is different" in answer.content
    assert not ConfigRevision.objects.exists()


def test_going_back_needs_one_choice(page: Client) -> None:
    """Two revisions at once make no sense."""
    rows = [ConfigRevision.objects.create(document={}) for _ in range(2)]
    chosen = {"action": "go_back", "_selected_action": [row.pk for row in rows]}
    answer = page.post("/admin/agents/configrevision/", chosen, follow=True)
    assert b"exactly one" in answer.content
