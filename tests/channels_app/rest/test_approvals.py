"""Approvals over HTTP."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.core.principal import APPROVALS, READ
from sessions.models import Approval, Person, Session
from tests.channels_app.rest.api import Api, token_make
from tests.platform.redis_server import RedisServer


@pytest.fixture(autouse=True)
def redis(clean_redis: RedisServer) -> None:
    """Decisions are told to everybody."""


def approval_make(person: Person, slug: str) -> Approval:
    """A question of a session of this person."""
    session, _made = Session.objects.get_or_create(
        key=f"agent:main:web:{person.pk}", defaults={"agent_slug": "main", "owner": person}
    )
    return Approval.objects.create(
        slug=slug,
        session=session,
        agent_slug="main",
        tool="exec",
        arguments={"command": "git push"},
        decisions=["allow-once", "deny"],
        expires_at=timezone.now() + timedelta(minutes=5),
    )


def test_it_works(api: Api, owner: Person, member: Person) -> None:
    """Listed, read and decided by its code; what has ended is listed apart."""
    approval, other = approval_make(owner, "aaaa1111"), approval_make(member, "bbbb2222")
    listed = api.get("approvals/").body["results"]
    assert [one["slug"] for one in listed] == ["aaaa1111", "bbbb2222"]
    assert api.get("approvals/?limit=1&offset=1").body["results"][0]["id"] == other.pk
    assert listed[0]["request"]["command"] == "git push"
    decided = api.post("approvals/aaaa1111/decide/", {"decision": "allow-once"})
    assert (decided.status, decided.body["state"]) == (200, "allow-once")
    assert decided.body["resolvedThrough"] == "rest"
    assert api.get(f"approvals/{approval.pk}/").body["decision"] == "allow-once"
    assert [one["slug"] for one in api.get("approvals/?ended=true").body["results"]] == ["aaaa1111"]


def test_errors(api: Api, owner: Person) -> None:
    """Unknown, not offered, unknown word, too late."""
    approval_make(owner, "aaaa1111")
    assert api.post("approvals/nothing/decide/", {"decision": "deny"}).status == 404
    assert api.post("approvals/aaaa1111/decide/", {"decision": "allow-always"}).status == 400
    assert api.post("approvals/aaaa1111/decide/", {"decision": "perhaps"}).status == 400
    assert api.post("approvals/aaaa1111/decide/", {"decision": "deny"}).status == 200
    assert api.post("approvals/aaaa1111/decide/", {"decision": "deny"}).status == 409


def test_it_takes_the_right(owner: Person, member_api: Api) -> None:
    """operator.approvals, which a token may leave out and members do not have."""
    approval_make(owner, "aaaa1111")
    reader = token_make(owner, READ)[1]
    for program in (reader, member_api):
        refused = program.get("approvals/")
        assert refused.status == 403
        assert APPROVALS in refused.body["error"]["message"]
