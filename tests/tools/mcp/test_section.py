"""The `mcp` section: strict, its secrets hidden, and only for administrators."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from agents.config.issues import ConfigInvalid
from agents.config.selectors import document_current
from agents.config.services import config_apply, config_validate
from agents.models import ConfigRevision, ConfigSection

pytestmark = pytest.mark.django_db

REMOTE = {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer s3cret"}}
LOCAL = {"command": "python3", "env": {"API_KEY": "s3cret", "MODE": "fast"}}


def document(**servers: Any) -> str:
    return json.dumps({"mcp": {"servers": servers}})


def test_it_works() -> None:
    report = config_apply(text=document(remote=REMOTE, local=LOCAL))
    assert "s3cret" not in json.dumps(report.document)
    assert report.document["mcp"]["servers"]["local"]["env"]["MODE"] == "fast"
    row = ConfigSection.objects.get(name="mcp")
    assert "s3cret" not in json.dumps(row.document)
    assert document_current()["mcp"]["servers"]["remote"]["headers"] == REMOTE["headers"]
    # What was shown without its secrets may be given back.
    config_apply(text=json.dumps(report.document))
    assert document_current()["mcp"]["servers"]["local"]["env"] == LOCAL["env"]
    config_apply(text="{}")
    assert "s3cret" not in str(list(ConfigRevision.objects.values_list("document")))


@pytest.mark.parametrize(
    ("entry", "place", "words"),
    [
        ({}, "", "either command or url"),
        ({"command": "x", "url": "https://example.com"}, "", "either command or url"),
        ({"command": "x", "transport": "sse"}, "", "stdio goes with command"),
        ({"url": "https://example.com", "env": {"A": "b"}}, "", "go with command"),
        ({"url": "ftp://example.com"}, ".url", "must be an address"),
        ({"url": "https://u:p@example.com"}, ".url", "no user name or password"),
        ({"url": "https://example.com", "headers": {"A": "x\r\nB: y"}}, ".headers.A", "one line"),
        ({"command": "x", "env": {"A=B": "c"}}, ".env", "environment variable"),
        ({"command": "x", "cwd": "relative"}, ".cwd", "absolute path"),
        ({"command": "x", "comand": "y"}, ".comand", "did you mean command?"),
        ({"command": "x", "callTimeoutMs": 1}, ".callTimeoutMs", "greater than or equal"),
    ],
)
def test_what_cannot_be_is_refused(entry: dict[str, Any], place: str, words: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        config_apply(text=document(srv=entry))
    found = [f"{issue.path} {issue.message}" for issue in caught.value.report.errors]
    assert any(f"mcp.servers.srv{place}" in text and words in text for text in found), found


@pytest.mark.parametrize("name", ["a__b", "_a", "a b", "a_", "x" * 31, "ä"])
def test_names_of_servers_are_plain(name: str) -> None:
    with pytest.raises(ConfigInvalid):
        config_apply(text=document(**{name: LOCAL}))


def test_names_that_look_the_same_are_refused() -> None:
    report = config_validate(text=document(**{"my-files": LOCAL, "My_Files": LOCAL}))
    assert "too much like" in str(report.errors)


def test_a_program_that_is_not_there_is_a_warning() -> None:
    report = config_validate(text=document(srv={"command": "no-such-program-here"}))
    assert report.errors == ()
    assert "no program no-such-program-here" in str(report.warnings)


@pytest.mark.parametrize("staff", [False, True])
def test_only_an_administrator_can_change_a_command(client: Client, staff: bool) -> None:
    config_apply(text=document(srv=LOCAL))
    user = get_user_model().objects.create_user("operator", password="x", is_staff=staff)
    user.user_permissions.add(*Permission.objects.filter(content_type__app_label="agents"))
    client.force_login(user)
    evil = document(srv={"command": "/bin/sh", "args": ["-c", "id"]})
    address = reverse("admin:agents_configuration")
    answer = client.post(address, {"text": evil, "apply": "1"}, follow=True)
    assert answer.status_code == 403
    assert document_current()["mcp"]["servers"]["srv"]["command"] == "python3"


def test_an_administrator_can_and_leaves_a_trace(client: Client) -> None:
    user = get_user_model().objects.create_superuser("boss", password="x")
    client.force_login(user)
    address = reverse("admin:agents_configuration")
    text = document(srv=LOCAL)
    assert client.post(address, {"text": text, "note": "", "apply": "1"}).status_code == 302
    assert document_current()["mcp"]["servers"]["srv"]["command"] == "python3"
    assert ConfigRevision.objects.first().author == "boss"  # type: ignore[union-attr]
