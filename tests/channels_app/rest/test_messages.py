"""Sending a message over HTTP and reading what was said."""

from __future__ import annotations

from typing import Any

import pytest

from sessions.models import Entry, InboxItem, Session, Transcript
from tests.channels_app.rest.api import Api
from tests.platform.redis_server import RedisServer

PATH = "sessions/main/messages/"


@pytest.fixture(autouse=True)
def _redis(clean_redis: RedisServer) -> None:
    """Sending rings a worker."""


def test_it_works(api: Api) -> None:
    """The message is stored, and its run waits for a worker."""
    sent = api.post(PATH, {"text": " hello "})
    assert (sent.status, sent.body["status"], sent.body["reply"]) == (202, "started", "")
    assert sent.body["sessionKey"] == "agent:main:main"
    item = InboxItem.objects.get(wire_id=sent.body["runId"])
    assert (item.text, item.origin) == (" hello ", {"kind": "http"})
    run = api.get(f"runs/{sent.body['runId']}/").body
    assert (run["state"], run["id"], run["runId"]) == ("waiting", "", sent.body["runId"])


def test_same_key_is_taken_once(api: Api) -> None:
    """A program may send again when it did not hear the answer."""
    body = {"text": "once", "idempotencyKey": "order-1"}
    assert api.post(PATH, body).body["status"] == "started"
    again = api.post(PATH, body)
    assert (again.status, again.body["status"]) == (202, "in_flight")
    assert InboxItem.objects.count() == 1


def test_choices_travel_with_the_message(api: Api) -> None:
    """Model, thinking, time limit and queue mode are those of this message alone."""
    api.post(
        PATH,
        {
            "text": "x",
            "model": "rehearsal/rehearsal",
            "thinkingLevel": "low",
            "timeoutMs": 5000,
            "queueMode": "followup",
        },
    )
    item = InboxItem.objects.get()
    assert item.options == {"model": "rehearsal/rehearsal", "thinking": "low", "timeoutMs": 5000}
    assert item.queue_mode == "followup"


def test_command_is_answered_at_once(api: Api) -> None:
    """What needs no agent has its reply in the answer."""
    sent = api.post(PATH, {"text": "/status"})
    assert "Nothing is running" in sent.body["reply"]
    run = api.get(f"runs/{sent.body['runId']}/").body
    assert (run["state"], run["text"]) == ("final", sent.body["reply"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": ""}, "text"),
        ({"text": "  "}, "message is empty"),
        ({"text": "x" * 512_001}, "text"),
        ({"text": "x", "queueMode": "later"}, "queueMode"),
        ({"text": "x", "timeoutMs": 0}, "timeoutMs"),
        ({"text": "x", "idempotencyKey": "a\x01b"}, "idempotencyKey"),
        ({"txt": "x"}, "text"),
    ],
)
def test_bad_message_is_named(api: Api, body: dict[str, Any], field: str) -> None:
    """Nothing is stored then."""
    answer = api.post(PATH, body)
    assert answer.status == 400
    assert field in answer.error["message"]
    assert not InboxItem.objects.exists()


def test_foreign_session_takes_nothing(api: Api, member_api: Api) -> None:
    """It answers as a missing one."""
    key = api.post("sessions/").body["key"]
    assert member_api.post(f"sessions/{key}/messages/", {"text": "x"}).status == 404
    assert member_api.get(f"sessions/{key}/messages/").status == 404


def test_history_goes_back_page_by_page(api: Api) -> None:
    """The newest part first; each page is in the order in which it was said."""
    api.post("sessions/", {"key": "main"})
    session = Session.objects.get()
    transcript = Transcript.objects.create(session=session)
    for number in range(1, 6):
        Entry.objects.create(
            transcript=transcript,
            seq=number,
            entry_id=f"{number:08x}",
            parent_id=f"{number - 1:08x}" if number > 1 else "",
            role="user",
            body={"role": "user", "content": str(number), "timestamp": 1},
        )
    Transcript.objects.filter(pk=transcript.pk).update(leaf=f"{5:08x}")
    Session.objects.filter(pk=session.pk).update(current=transcript)
    newest = api.get(f"{PATH}?limit=2").body
    assert [entry["content"]["content"] for entry in newest["results"]] == ["4", "5"]
    middle = api.get(f"{PATH}?limit=2&before={newest['before']}").body
    assert [entry["seq"] for entry in middle["results"]] == [2, 3]
    oldest = api.get(f"{PATH}?limit=2&before={middle['before']}").body
    assert ([entry["seq"] for entry in oldest["results"]], oldest["before"]) == ([1], None)
