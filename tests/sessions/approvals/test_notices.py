"""The owner is told of a question on the routes that the configuration names, once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.core.errors import DeliveryError, OpenClawError
from agents.database import run_db
from sessions.approvals.notice_routes import Notice
from sessions.approvals.notice_session import notice_add, notice_to_session
from sessions.approvals.notice_webhook import (
    SIGNATURE,
    TIMESTAMP,
    notice_to_webhook,
    webhook_signature,
)
from sessions.approvals.notices import notices_claim
from sessions.approvals.watch import notice_send
from sessions.models import Entry
from tests.sessions.approvals.asking import Asking, write
from tests.sessions.stage import KEY
from tools.net.policy import NetworkPolicy

HOME = "agent:main:main"
LOOPBACK = NetworkPolicy(open_kinds=frozenset({"loopback"}))


async def forward(**settings: Any) -> None:
    """Switches forwarding on."""
    text = json.dumps({"approvals": {"exec": {"enabled": True, **settings}}})
    await run_db(lambda: config_apply(text=text))


def notices(key: str) -> list[str]:
    """The notices in a session."""
    found = Entry.objects.filter(transcript__session__key=key, type=Entry.Type.NOTICE)
    return [body["content"] for body in found.order_by("seq").values_list("body", flat=True)]


async def test_it_works(asking: Asking) -> None:
    """A line in the owner's own conversation says how to answer; the answer is still found."""
    await forward(mode="targets", targets=[{"channel": "web", "to": HOME}])
    home = await asking.stage.accept("[[echo:hello]]", key=HOME)
    engine = await asking.stage.engine()
    engine.submit(home.session_id)
    await asking.stage.ended(home)
    accepted, (approval,) = await asking.parked(write("a.txt") + "[[final:ok]]")

    async def told() -> bool:
        return bool(await run_db(notices, HOME))

    await asking.stage.until(told)
    (text,) = await run_db(notices, HOME)
    assert f"/approve {approval.slug} allow-once | allow-always | deny" in text
    assert "write a.txt" in text
    assert (await asking.row(approval)).notified_at is not None
    records = await asking.stage.live_records(home.session_id)
    assert records[-1]["entry"]["message"]["content"] == text
    assert await run_db(notices_claim) == []
    again = await asking.stage.accept("[[echo:again]]", key=HOME)
    engine.submit(again.session_id)
    assert (await asking.stage.ended(again)).outcome == "answered"
    await asking.decide(approval, "allow-once")
    assert (await asking.answered(accepted)).outcome == "answered"
    assert await asking.faults() == []


async def test_in_the_conversation_that_asks(asking: Asking) -> None:
    """mode session: the notice stands behind the call, and the turn goes on past it."""
    await forward()
    accepted, (approval,) = await asking.parked(write("b.txt") + "[[final:went on]]")

    async def told() -> bool:
        return bool(await run_db(notices, KEY))

    await asking.stage.until(told)
    await asking.decide(approval, "allow-once")
    run = (await asking.answered(accepted)).run
    assert run is not None
    assert run.reply == "went on"
    roles = [role for role, _ in await asking.stage.entries()]
    assert roles == ["user", "assistant", "", "toolResult", "assistant"]
    later = await asking.stage.accept("[[echo:later]]")
    assert (await asking.answered(later)).outcome == "answered"
    assert await asking.faults() == []


async def test_not_when_it_is_off(asking: Asking) -> None:
    """Nothing is told elsewhere by itself, nor for what the filters leave out."""
    _, (approval,) = await asking.parked(write("c.txt"))
    assert await run_db(notices_claim) == []
    await forward(agentFilter=["other"])
    assert await run_db(notices_claim) == []
    assert (await asking.row(approval)).notified_at is None


async def test_answered_before_it_was_told(asking: Asking) -> None:
    """What has ended is not told any more."""
    _, (approval,) = await asking.parked(write("d.txt"))
    await asking.decide(approval, "deny")
    await notice_to_session(Notice(approval.pk, "web", KEY, "", "late", {}))
    assert await run_db(notices, KEY) == []


async def test_a_session_that_is_not_there(asking: Asking) -> None:
    """That is noted, not repeated."""
    assert await run_db(lambda: notice_add(session_key="agent:main:nowhere", text="x"))


class Receiver:
    """A webhook that keeps what it was sent."""

    def __init__(self) -> None:
        self.status = 200
        self.got: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.got.append((dict(self.headers.items()), body))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *_args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/hook"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A webhook on this machine."""
    found = Receiver()
    yield found
    found.server.shutdown()
    found.server.server_close()


def notice(url: str) -> Notice:
    """A notice for a webhook."""
    payload = {"id": "a1", "slug": "code"}
    return Notice("a1", "webhook", url, "s3cret", "main asks", payload)


async def test_a_signed_webhook(receiver: Receiver) -> None:
    """The receiver can tell from the secret who sent it."""
    await notice_to_webhook(notice(receiver.url), LOOPBACK)
    ((headers, body),) = receiver.got
    told = json.loads(body)
    assert told["event"] == "exec.approval.requested"
    assert told["payload"]["slug"] == "code"
    assert headers[SIGNATURE] == webhook_signature("s3cret", headers[TIMESTAMP], body)


async def test_webhooks_that_fail(receiver: Receiver) -> None:
    """An error of the receiver, and an address inside: both are only in the log."""
    receiver.status = 500
    with pytest.raises(DeliveryError):
        await notice_to_webhook(notice(receiver.url), LOOPBACK)
    with pytest.raises(OpenClawError):
        await notice_to_webhook(notice(receiver.url))
    await notice_send(notice(receiver.url))
    assert len(receiver.got) == 1
