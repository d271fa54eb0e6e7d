"""What a person sees of a compaction: the whole transcript, a line in it, the meter."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from sessions.models import Entry, Person, Session, Transcript
from sessions.people import person_for_user
from tests.platform.redis_server import RedisServer
from tests.sessions.context_stage import KEY, history_write, long_talk


@pytest.fixture
def browser(db: None, clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Client:
    """An owner's browser; the model has a window of 128,000 tokens."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENCLAW_MODEL", "openai/scripted")
    user = User.objects.create_user("ada", password="not-used-here-1")
    person = person_for_user(user=user)
    person.role = Person.Role.OWNER
    person.save()
    client = Client(headers={"accept": "text/html"})
    client.force_login(user)
    return client


def compacted(kind: str = "", summary: str = "They <b>talked</b> about links.") -> Transcript:
    """A conversation of which all but the end was summarised."""
    transcript = history_write(long_talk(2_000, turns=6))
    entries = list(transcript.entries.order_by("seq"))
    body = {
        "summary": summary,
        "firstKeptEntryId": entries[-2].entry_id,
        "tokensBefore": 2_000,
        "details": {"kind": kind} if kind else {},
    }
    Entry.objects.create(
        transcript=transcript,
        seq=transcript.next_seq,
        entry_id="c0ffee00",
        parent_id=transcript.leaf,
        type=Entry.Type.COMPACTION,
        body=body,
    )
    Transcript.objects.filter(pk=transcript.pk).update(
        leaf="c0ffee00", next_seq=transcript.next_seq + 1
    )
    return transcript


def page(browser: Client) -> str:
    """The chat page."""
    answer = browser.get(f"/chat/{KEY}/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_works(browser: Client) -> None:
    """Every old message stands there, then a line that opens the summary, escaped."""
    compacted()
    html = page(browser)
    assert all(f"Question {number}:" in html for number in range(6))
    assert 'id="m-c0ffee00"' in html
    assert "Earlier part summarised" in html
    assert "They &lt;b&gt;talked&lt;/b&gt; about links." in html


@pytest.mark.parametrize(
    ("kind", "title"),
    [("truncation", "Long tool results shortened"), ("trim", "Earlier part left out")],
)
def test_other_kinds(browser: Client, kind: str, title: str) -> None:
    """Each has its own words."""
    compacted(kind)
    assert title in page(browser).split('id="chat-words"')[0]


@pytest.mark.parametrize(
    ("used", "shown", "tight"),
    [(12_000, "context 12", False), (93_000, "context 93", True), (0, "", False)],
)
def test_how_full_it_is(browser: Client, used: int, shown: str, tight: bool) -> None:
    """The numbers of the last call; another colour at 90 % of the budget."""
    compacted()
    Session.objects.filter(key=KEY).update(context_tokens=used)
    head = page(browser).split("</header>")[1]
    assert shown in head
    assert ("chat__context--tight" in head) == tight
    assert ("128" in head.split('id="context"')[1][:300]) == bool(used)
