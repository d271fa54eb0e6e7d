"""Who waits at a terminal is told what has to be decided."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from agents.database import write_transaction
from sessions.models import Approval, InboxItem, Run, Transcript
from sessions.people import owner_ensure
from sessions.run_selectors import RunStatus
from sessions.stops import run_stop
from sessions.terminal import message_run
from tests.platform.gateway import wait_for
from tests.platform.redis_server import RedisServer

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "agent:main:main"


class Paper:
    """A screen that keeps its lines."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def text(self, piece: str) -> None:
        """Nothing is answered here."""

    def note(self, line: str) -> None:
        """Keeps a line."""
        self.notes.append(line)


def park(item: InboxItem) -> None:
    """What a worker does whose turn waits for a decision."""
    with write_transaction():
        transcript = Transcript.objects.create(session=item.session)
        run = Run.objects.create(
            session=item.session,
            transcript=transcript,
            person_id=item.person_id,
            wire_id=item.wire_id,
            agent_slug="main",
            state=Run.State.PARKED,
            parked_at=timezone.now(),
        )
        InboxItem.objects.filter(pk=item.pk).update(run=run)
        Approval.objects.create(
            slug="aaaa1111",
            run=run,
            session=item.session,
            agent_slug="main",
            tool="exec",
            arguments={"command": "git push"},
            decisions=["allow-once", "deny"],
            expires_at=timezone.now() + timedelta(minutes=5),
        )


def stop_when_told(paper: Paper) -> None:
    """Parks the turn, and stops it once the terminal has shown the question."""
    try:
        wait_for(InboxItem.objects.filter(outcome="").exists)
        item = InboxItem.objects.get(outcome="")
        park(item)
        wait_for(lambda: any("aaaa1111" in line for line in paper.notes))
        run_stop(principal=owner_ensure().principal(), session_key=KEY, kind="stop")
        Run.objects.update(state=Run.State.ENDED, outcome="aborted", ended_at=timezone.now())
        InboxItem.objects.filter(pk=item.pk).update(outcome="stopped", ended_at=timezone.now())
    finally:
        connection.close()


def test_it_works(clean_redis: RedisServer) -> None:
    """Once, with what would run and how to answer."""
    paper = Paper()
    worker = threading.Thread(target=stop_when_told, args=(paper,))
    worker.start()
    try:
        status: RunStatus = message_run(
            principal=owner_ensure().principal(), session_key=KEY, text="push it", screen=paper
        )
    finally:
        worker.join()
    assert status.state == "aborted"
    assert paper.notes[:2] == [
        "waits for a decision: git push",
        "manage.py approvals resolve aaaa1111 allow-once|deny",
    ]
    assert Approval.objects.get().state == "withdrawn"
