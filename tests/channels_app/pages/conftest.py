"""People and sessions for the tests of the pages: one fixed cast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.core.principal import Principal
from sessions.models import Entry, Person, Run, Session
from sessions.people import person_for_user
from sessions.services import transcript_start
from tests.platform.redis_server import RedisServer


@dataclass(frozen=True)
class Visitor:
    """A person and the browser they are signed in with."""

    person: Person
    client: Client

    @property
    def principal(self) -> Principal:
        """In whose name services are asked."""
        return self.person.principal()


def visitor(name: str, *, role: str) -> Visitor:
    """Somebody with a role, signed in."""
    user = User.objects.create_user(name, password="not-used-here-1")
    person = person_for_user(user=user)
    person.role = role
    person.save()
    client = Client(headers={"accept": "text/html"})
    client.force_login(user)
    return Visitor(person, client)


@pytest.fixture
def owner(db: None, clean_redis: RedisServer) -> Visitor:
    """Ada, who owns the gateway."""
    return visitor("ada", role=Person.Role.OWNER)


@pytest.fixture
def member(db: None, clean_redis: RedisServer) -> Visitor:
    """Ben, who has sessions of his own."""
    return visitor("ben", role=Person.Role.MEMBER)


@pytest.fixture
def viewer(db: None, clean_redis: RedisServer) -> Visitor:
    """Cleo, who may only read."""
    return visitor("cleo", role=Person.Role.VIEWER)


def session_of(person: Person, key: str) -> Session:
    """A stored session with an empty transcript."""
    agent = key.split(":")[1]
    session = Session.objects.create(key=key, agent_slug=agent, owner=person)
    transcript_start(session=session, reason="test")
    return session


def entry_of(session: Session, body: Mapping[str, Any], run: Run | None = None) -> Entry:
    """One more message at the end of a session."""
    transcript = session.current
    assert transcript is not None
    entry = Entry.objects.create(
        transcript=transcript,
        seq=transcript.next_seq,
        entry_id=f"{transcript.next_seq:08x}",
        parent_id=transcript.leaf,
        role=str(body["role"]),
        body=dict(body),
        run_id=run.id if run else "",
    )
    transcript.leaf, transcript.next_seq = entry.entry_id, transcript.next_seq + 1
    transcript.save()
    return entry


def run_of(session: Session, **values: object) -> Run:
    """An ended run of a session."""
    fields: dict[str, Any] = {
        "wire_id": "wire-1",
        "agent_slug": session.agent_slug,
        "state": Run.State.ENDED,
        "outcome": Run.Outcome.FINAL,
        "preview": "say hi",
        "provider": "openai",
        "model": "small",
        **values,
    }
    fields["transcript_id"] = session.current_id
    run: Run = Run.objects.create(session=session, person=session.owner, **fields)
    return run
