"""Questions that wait for a decision, on the pages and in their forms."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from sessions.models import Approval, Run, Session
from tests.channels_app.pages.conftest import Visitor, session_of

EVERYTHING = ["allow-once", "allow-always", "deny"]


def asked(owner: Visitor, key: str = "agent:main:web:one", **fields: Any) -> Approval:
    """A question of a parked run in a session of `owner`."""
    session = Session.objects.filter(key=key).first() or session_of(owner.person, key)
    transcript = session.current
    assert transcript is not None
    run = Run.objects.filter(session=session).first() or Run.objects.create(
        session=session,
        transcript=transcript,
        person=owner.person,
        wire_id=f"wire-{key}",
        agent_slug=session.agent_slug,
        state=Run.State.PARKED,
        preview="clean up",
    )
    number = Approval.objects.count()
    values: dict[str, Any] = {
        "slug": f"abcd{number:04d}",
        "agent_slug": session.agent_slug,
        "entry_id": "00000001",
        "call_id": f"call-{number}",
        "kind": "exec",
        "tool": "exec",
        "arguments": {"command": "rm -rf build"},
        "digest": "d",
        "reason": "It is not on the list of allowed commands.",
        "facts": {
            "command": "rm -rf build",
            "cwd": "/srv/work",
            "allow": [{"pattern": "/usr/bin/rm", "argumentPattern": "^-rf build$"}],
        },
        "decisions": EVERYTHING,
        "asked_of": "Ada",
        "origin": "web",
        "expires_at": timezone.now() + timedelta(minutes=2),
        **fields,
    }
    return Approval.objects.create(run=run, session=session, **values)


def text_of(html: bytes) -> str:
    """The words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.decode()).split())


def test_it_works(owner: Visitor) -> None:
    approval = asked(owner)
    page = text_of(owner.client.get("/approvals/").content)
    for words in (
        "Run this command?", "rm -rf build", "It is not on the list", "/srv/work", "Ada", "main",
        "/usr/bin/rm with arguments like ^-rf build$", "Allow once", "Always allow", "Deny",
        approval.slug,
    ):  # fmt: skip
        assert words in page
    answer = owner.client.post(
        f"/approvals/{approval.pk}/decide/",
        {"decision": "allow-once", "back": "/runs/"},
        headers={"accept": "text/html"},
    )
    assert (answer.status_code, answer["Location"]) == (302, "/runs/")
    approval.refresh_from_db()
    assert (approval.state, approval.decided_by, approval.decided_through) == (
        "allow-once", owner.person.name, "web",
    )  # fmt: skip
    page = text_of(owner.client.get("/approvals/").content)
    assert "Nothing waits for a decision." in page
    assert f"Allowed once by {owner.person.name}" in page


def test_other_people_know_of_nothing(owner: Visitor, member: Visitor) -> None:
    approval = asked(owner)
    assert "rm -rf" not in member.client.get("/approvals/").content.decode()
    cards = member.client.get("/approvals/cards/", {"session": "agent:main:web:one"})
    assert cards.content.strip() == b""
    assert member.client.get(f"/approvals/{approval.pk}/card/").status_code == 404
    answer = member.client.post(f"/approvals/{approval.pk}/decide/", {"decision": "allow-once"})
    assert answer.status_code == 404
    approval.refresh_from_db()
    assert approval.state == "pending"
    assert "nav-item__count" not in member.client.get("/approvals/").content.decode()


def test_who_may_not_decide_sees_no_buttons(owner: Visitor, member: Visitor) -> None:
    approval = asked(member, "agent:main:web:ben")
    page = member.client.get("/approvals/").content.decode()
    assert "rm -rf build" in page
    assert 'name="decision"' not in page
    assert "You may look at this" in page
    member.client.post(f"/approvals/{approval.pk}/decide/", {"decision": "allow-once"})
    approval.refresh_from_db()
    assert approval.state == "pending"


def test_a_late_answer_is_refused(owner: Visitor) -> None:
    approval = asked(owner, expires_at=timezone.now() - timedelta(seconds=1))
    page = text_of(owner.client.get("/approvals/").content)
    assert "Expired: nobody answered in time" in page
    answer = owner.client.post(
        f"/approvals/{approval.pk}/decide/",
        {"decision": "allow-once"},
        headers={"accept": "application/json"},
    )
    assert "Too late" in answer.content.decode()
    assert "Expired" in answer.content.decode()
    approval.refresh_from_db()
    assert approval.state == "pending"


def test_a_second_answer_says_who_was_first(owner: Visitor) -> None:
    approval = asked(owner)
    for decision in ("deny", "allow-once"):
        answer = owner.client.post(
            f"/approvals/{approval.pk}/decide/",
            {"decision": decision},
            headers={"accept": "application/json"},
        )
    assert f"Denied by {owner.person.name}" in answer.content.decode()
    approval.refresh_from_db()
    assert approval.state == "deny"


@pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example/", "", "\\\\evil"])
def test_a_form_goes_back_to_a_page_of_ours(owner: Visitor, back: str) -> None:
    answer = owner.client.post(
        f"/approvals/{asked(owner).pk}/decide/", {"decision": "deny", "back": back}
    )
    assert answer["Location"] == "/approvals/"


def test_filters(owner: Visitor) -> None:
    asked(owner, facts={"command": "of main"})
    asked(owner, "agent:ops:web:two", agent_slug="ops", facts={"command": "of ops"})
    asked(owner, state="deny", decided_by="Bo", facts={"command": "refused"})

    def shown(**query: str) -> set[str]:
        page = owner.client.get("/approvals/", query).content.decode()
        return {words for words in ("of main", "of ops", "refused") if words in page}

    assert shown() == {"of main", "of ops", "refused"}
    assert shown(agent="ops") == {"of ops"}
    assert shown(state="deny") == {"refused"}
    assert shown(state="pending", agent="main") == {"of main"}
    assert shown(agent="nobody") == set()


def test_the_fresh_part_is_sent_only_when_it_changed(owner: Visitor) -> None:
    approval = asked(owner)
    first = owner.client.get("/approvals/live/")
    tag = {"if-none-match": first["ETag"]}
    assert owner.client.get("/approvals/live/", headers=tag).status_code == 304
    owner.client.post(f"/approvals/{approval.pk}/decide/", {"decision": "deny"})
    assert owner.client.get("/approvals/live/", headers=tag).status_code == 200


def test_panel_and_rail_tell_of_it(owner: Visitor) -> None:
    approval = asked(owner)
    panel = owner.client.get("/").content.decode()
    assert f"/approvals/#approval-{approval.pk}" in panel
    assert "main asks: rm -rf build" in panel
    assert '<span class="nav-item__count">1</span>' in owner.client.get("/runs/").content.decode()


def test_the_run_waits_and_then_shows_who_decided(owner: Visitor) -> None:
    approval = asked(owner)
    address = f"/runs/{approval.run_id}/"
    page = text_of(owner.client.get(address).content)
    assert "waiting for a decision" in page
    assert "Run this command?" in page
    owner.client.post(f"/approvals/{approval.pk}/decide/", {"decision": "deny"})
    page = text_of(owner.client.get(address).content)
    assert "Asked about exec" in page
    assert f"denied, {owner.person.name}" in page
    assert "Run this command?" not in page


def test_the_conversation_shows_it(owner: Visitor) -> None:
    approval = asked(owner)
    page = owner.client.get("/chat/agent:main:web:one/").content.decode()
    assert f'id="approval-{approval.pk}"' in page
    assert 'value="allow-always"' in page
    assert "approval-" not in owner.client.get("/chat/agent:main:main/").content.decode()


def test_tricks_in_what_would_run_are_spelled_out(owner: Visitor) -> None:
    asked(owner, facts={"command": "echo \u202etxt.exe <b>x</b>"}, reason="<script>1</script>")
    page = owner.client.get("/approvals/").content.decode()
    assert "\u202e" not in page
    assert "<b>x</b>" not in page
    assert "<script>1" not in page


def test_nothing_of_a_command_is_hidden(owner: Visitor) -> None:
    """Variables with their values, all programs, and that it leaves the sandbox."""
    facts = {"command": "make", "programs": ["/usr/bin/make", "/bin/sh"], "elevated": True}
    asked(owner, arguments={"command": "make", "env": {"CC": "/tmp/evil"}}, facts=facts)
    asked(owner, tool="process", facts={"command": "yes"}, arguments={"action": "submit"})
    page = text_of(owner.client.get("/approvals/").content)
    assert "Variables CC=/tmp/evil" in page
    assert "Programs /usr/bin/make, /bin/sh" in page
    assert "Outside the sandbox yes" in page
    assert "Type this into the running command?" in page


def test_a_tool_shows_its_arguments_and_what_was_read(owner: Visitor) -> None:
    asked(
        owner,
        tool="message",
        kind="outside",
        arguments={"to": "bob", "text": "hi"},
        facts={"outside": ["web_fetch (https://evil.example/)"]},
        reason="It has read web_fetch (https://evil.example/).",
        decisions=["allow-once", "deny"],
    )
    page = owner.client.get("/approvals/").content.decode()
    words = text_of(page.encode())
    assert "Use the tool message?" in words
    assert "&quot;to&quot;: &quot;bob&quot;" in page
    assert "approval__outside" in page
    assert "It has read web_fetch (https://evil.example/)." in words
    assert 'name="decision" value="allow-always"' not in " ".join(page.split())
