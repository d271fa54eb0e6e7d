"""An answer is shown whole, whatever the live record does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from sessions.live import record_emit_sync
from sessions.models import InboxItem, Run, Transcript
from sessions.people import owner_ensure
from sessions.run_selectors import RunStatus
from sessions.terminal import message_run
from tests.platform.gateway import wait_for
from tests.platform.redis_server import RedisServer

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "agent:main:main"


class Paper:
    """A screen that keeps what was shown."""

    def __init__(self) -> None:
        self.shown = ""
        self.notes: list[str] = []

    def text(self, piece: str) -> None:
        """Keeps a piece."""
        self.shown += piece

    def note(self, line: str) -> None:
        """Keeps a line."""
        self.notes.append(line)


class Hand:
    """Plays the worker by hand: takes the message, shows records, ends the run."""

    def __init__(self) -> None:
        wait_for(InboxItem.objects.filter(outcome="").exists)
        self.item = InboxItem.objects.get(outcome="")
        transcript = Transcript.objects.create(session=self.item.session)
        self.run = Run.objects.create(
            session=self.item.session,
            transcript=transcript,
            person_id=self.item.person_id,
            wire_id=self.item.wire_id,
            agent_slug="main",
        )
        InboxItem.objects.filter(pk=self.item.pk).update(run=self.run)

    def show(self, kind: str, **data: Any) -> None:
        """One live record of the run."""
        record = {"t": kind, "run": self.run.pk, "wire": self.item.wire_id, **data}
        record_emit_sync(session_id=self.item.session_id, record=record)

    def end(self, text: str) -> None:
        """The committed end. No record tells of it."""
        now = timezone.now()
        InboxItem.objects.filter(pk=self.item.pk).update(outcome="answered", ended_at=now)
        Run.objects.filter(pk=self.run.pk).update(
            state="ended", outcome="final", reply=text, ended_at=now
        )


def follow(work: Callable[[Hand], None]) -> tuple[Paper, RunStatus]:
    """Sends a message that `work` answers; returns what was shown and how it ended."""

    def answer() -> None:
        try:
            work(Hand())
        finally:
            connection.close()

    paper, principal = Paper(), owner_ensure().principal()
    thread = threading.Thread(target=answer)
    thread.start()
    try:
        status = message_run(principal=principal, session_key=KEY, text="hello", screen=paper)
    finally:
        thread.join(20)
    return paper, status


def test_it_works(clean_redis: RedisServer) -> None:
    """Pieces are shown as they come, and none twice."""

    def work(hand: Hand) -> None:
        hand.show("run.start", wires=[hand.item.wire_id])
        hand.show("text", d="one ")
        hand.show("tool.start", id="1", name="exec", args={"command": "ls  -la"})
        hand.show("tool.end", id="1", name="exec", isError=True, result={})
        hand.show("text", d="two")
        hand.end("one two")
        hand.show("run.end", wires=[{"id": hand.item.wire_id, "outcome": "answered"}])

    paper, status = follow(work)
    assert paper.shown == "one two"
    assert paper.notes == ["exec ls -la", "exec failed"]
    assert (status.state, status.text) == ("final", "one two")


def test_end_is_found_without_redis() -> None:
    """The database knows the answer when no record comes."""
    paper, status = follow(lambda hand: hand.end("only in the database"))
    assert paper.shown == "only in the database"
    assert status.state == "final"


def test_lost_pieces_are_made_good(clean_redis: RedisServer) -> None:
    """What the live record missed is added at the end."""

    def work(hand: Hand) -> None:
        hand.show("run.start", wires=[hand.item.wire_id])
        hand.show("text", d="first")
        hand.end("first and last")

    assert follow(work)[0].shown == "first and last"


def test_resumed_turn_goes_on_from_its_committed_text(clean_redis: RedisServer) -> None:
    """After a killed worker the text that was lost is said again."""

    def work(hand: Hand) -> None:
        hand.show("run.start", wires=[hand.item.wire_id])
        hand.show("text", d="kept, then lost")
        hand.show("run.resume", text="kept", wires=[hand.item.wire_id])
        hand.show("text", d=", then anew")
        hand.end("kept, then anew")

    paper, _status = follow(work)
    assert paper.shown == "kept, then lost\n\nkept, then anew"
    assert paper.notes == ["the turn goes on after a restart"]


def test_message_that_joins_a_turn_sees_its_own_part(clean_redis: RedisServer) -> None:
    """Other runs and what was said before are not shown; the end is not repeated."""

    def work(hand: Hand) -> None:
        hand.show("text", d="for somebody else")
        hand.show("run.wires", wires=["first", hand.item.wire_id])
        hand.show("text", d="\n\nfor both")
        hand.end("for somebody else\n\nfor both")

    assert follow(work)[0].shown == "\n\nfor both"
