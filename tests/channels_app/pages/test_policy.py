"""The page that says which tools somebody has and which rule took the others."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import orjson
import pytest

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from tests.channels_app.pages.conftest import Visitor, session_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def rules(db: None) -> None:
    cache_clear()
    rules = {
        "tools": {"deny": ["edit", "exce"], "toolsBySender": {"name:<b>": {"deny": ["read"]}}},
        "agents": {"list": [{"id": "main"}, {"id": "ops", "tools": {"profile": "analysis"}}]},
    }
    config_apply(text=orjson.dumps(rules))


def html(visitor: Visitor, **question: str) -> str:
    answer = visitor.client.get(f"/policy/?{urlencode(question)}")
    assert answer.status_code == 200, answer.content.decode()[:500]
    return answer.content.decode()


def rows(page: str) -> dict[str, str]:
    """The table of tools: name → the text of its row."""
    found = re.findall(r"<tr>\s*<td class=\"policy__tool\">(.*?)</tr>", page, re.DOTALL)
    plain = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in found]
    return {row.split()[0]: row for row in plain}


def test_it_works(owner: Visitor) -> None:
    page = html(owner)
    shown = rows(page)
    assert shown["read"] == "read kept"
    assert shown["edit"] == "edit removed 3 global tools.deny: edit"
    assert "ada has" in page
    assert "tools.deny: exce means no tool that is known here. Did you mean exec?" in page


def test_questions(owner: Visitor, member: Visitor) -> None:
    agent = rows(html(owner, agent="ops"))
    assert agent["exec"].endswith(
        "1 profile agents.list.ops.tools.profile &quot;analysis&quot; does not name it"
    )
    assert "owner only tools.ownerOnly: exec" in rows(html(owner, sender="ben"))["exec"]
    session_of(member.person, "agent:main:web:1")
    page = html(owner, session="agent:main:web:1")
    assert "ben has" in page
    assert "what the channel node can show" in rows(html(owner, channel="node"))["write"]
    assert rows(html(owner, sandboxed="on"))["read"] == "read kept"


def test_filters(owner: Visitor) -> None:
    assert set(rows(html(owner, show="removed", find="tools.deny"))) == {"edit"}
    kept = rows(html(owner, show="kept"))
    assert "read" in kept
    assert "edit" not in kept
    assert "No tool matches this filter." in html(owner, find="zzz")


def test_what_is_written_is_shown_as_text(owner: Visitor) -> None:
    page = html(owner, sender="name:<b>")
    assert "tools.toolsBySender[&quot;name:&lt;b&gt;&quot;].deny: read" in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("agent=opz", 404, "Did you mean ops?"),
        ("sender=nobody", 404, "There is no person nobody."),
        ("session=agent:ops:x&agent=main", 400, "belongs to the agent ops"),
        ("model=nowhere/x", 400, "no provider nowhere"),
    ],
)
def test_what_is_unknown(owner: Visitor, query: str, status: int, words: str) -> None:
    answer = owner.client.get(f"/policy/?{query}")
    assert (answer.status_code, words in answer.content.decode()) == (status, True)


def test_only_owners_see_it(owner: Visitor, member: Visitor, viewer: Visitor) -> None:
    for visitor in (member, viewer):
        assert visitor.client.get("/policy/").status_code == 403
        assert b"Which tools?" not in visitor.client.get("/palette/").content
    assert b"Which tools?" in owner.client.get("/palette/").content
