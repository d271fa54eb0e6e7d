"""The run history."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from channels_app.pages.timeline import AXIS, run_steps
from sessions.models import Delivery, InboundReceipt, InboxItem, ModelCall, Prompt, Run, ToolCall
from tests.channels_app.pages.conftest import Visitor, entry_of, run_of, session_of

KEY = "agent:main:main"
SECRET = "sk-abcdefghijklmnopqrstuvwx"


def whole_run(visitor: Visitor) -> Run:
    """A turn with everything: waited, resumed, two model calls, a tool call, a delivery."""
    session = session_of(visitor.person, KEY)
    zero = timezone.now() - timedelta(seconds=10)

    def at(milliseconds: int) -> datetime:
        return zero + timedelta(milliseconds=milliseconds)

    run = run_of(
        session,
        accepted_at=zero,
        started_at=at(100),
        ended_at=at(1000),
        resumptions=1,
        resumed=[{"at": at(300).isoformat(), "reason": "the worker ended"}],
        input_tokens=30,
        output_tokens=7,
        cost=0.0042,
        cost_known=True,
    )
    receipt = InboundReceipt.objects.create(source="web", source_id="1", digest="0")
    InboxItem.objects.create(
        session=session, receipt=receipt, person=visitor.person, principal={}, wire_id="wire-1",
        text=f"use {SECRET}", origin={"kind": "web"}, run=run, outcome="answered",
        accepted_at=zero,
    )  # fmt: skip
    entry_of(session, {"role": "user", "content": f"use {SECRET}"}, run)
    call = {
        "type": "toolCall",
        "id": "c1",
        "name": "exec",
        "arguments": {"token": "hunter2hunter2"},
    }
    entry_of(session, {"role": "assistant", "content": [call]}, run)
    prompt = Prompt.objects.create(
        digest="d" * 64, system="You are main.", tools=[{"name": "exec"}]
    )
    for number, (start, end) in enumerate(((200, 400), (700, 950)), start=1):
        ModelCall.objects.create(
            run=run, number=number, provider="openai", model="small", prompt=prompt, state="done",
            first_seq=1, last_seq=1, leaf="00000001", response_entry_id="00000002",
            parameters={"temperature": 0.2, "api_key": SECRET}, input_tokens=15, output_tokens=3,
            started_at=at(start), first_token_at=at(start + 50), ended_at=at(end),
        )  # fmt: skip
    ToolCall.objects.create(
        run=run, entry_id="00000002", call_id="c1", name="exec", state="failed", verdict="allow",
        arguments={"command": f"echo {SECRET}"}, started_at=at(400), ended_at=at(650),
        result={"content": [{"type": "text", "text": f"Authorization: Bearer {SECRET}"}]},
    )  # fmt: skip
    Delivery.objects.create(
        run=run, kind="web", state="sent", receipt="00000002", created_at=at(990), ended_at=at(995)
    )
    return run


def test_it_works(owner: Visitor) -> None:
    run = whole_run(owner)

    html = owner.client.get(f"/runs/{run.id}/").content.decode()

    for text in ("Message accepted", "Waited for a worker", "Resumed (1)", "Model call 2", "exec"):
        assert text in html
    assert "the worker ended" in html
    assert "$0.0042" in html
    assert owner.client.get("/runs/wire-1/").status_code == 200


def test_steps_stand_on_one_axis_in_order(owner: Visitor) -> None:
    steps = run_steps(whole_run(owner))

    kinds = [step.kind for step in steps]
    assert kinds == [
        *("accepted", "waited", "model", "resumed", "tool", "model", "delivery", "end"),
    ]
    assert [round(step.at) for step in steps] == [0, 0, 200, 300, 400, 700, 990, 1000]
    assert [round(step.length or 0) for step in steps][1:5] == [100, 200, 0, 250]
    assert all(step.x >= 0 and step.x + step.width <= AXIS for step in steps)


def test_a_running_step_has_no_length_yet(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    run = run_of(session, state=Run.State.RUNNING, outcome="")
    ModelCall.objects.create(run=run, number=1, provider="openai", model="small")

    call = next(step for step in run_steps(run) if step.kind == "model")

    assert call.length is None
    html = owner.client.get(f"/runs/{run.id}/").content.decode()
    assert 'data-live="?live"' in html
    assert 'id="run-totals"' in owner.client.get(f"/runs/{run.id}/?live").content.decode()


def test_secrets_are_removed_everywhere(owner: Visitor) -> None:
    run = whole_run(owner)

    for page in (f"/runs/{run.id}/calls/1/", f"/runs/{run.id}/"):
        html = owner.client.get(page).content.decode()
        assert "[secret removed]" in html
        assert SECRET not in html
        assert "hunter2" not in html


def test_a_request_is_shown_as_it_was_sent(owner: Visitor) -> None:
    run = whole_run(owner)

    html = owner.client.get(f"/runs/{run.id}/calls/1/").content.decode()

    assert "You are main." in html
    assert "&quot;temperature&quot;: 0.2" in html
    assert html.count('<span class="tag">user</span>') == 1
    assert owner.client.get(f"/runs/{run.id}/calls/9/").status_code == 404


def test_runs_are_filtered(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    other = session_of(owner.person, "agent:main:web:01jd0000000000000000000000")
    today, old = timezone.now(), timezone.now() - timedelta(days=3)
    run_of(session, preview="good one", started_at=today)
    run_of(session, preview="bad one", outcome=Run.Outcome.ERROR, started_at=today)
    run_of(other, preview="old one", started_at=old, agent_slug="second")

    def shown(**query: str) -> set[str]:
        html = owner.client.get("/runs/", query).content.decode()
        return {name for name in ("good one", "bad one", "old one") if name in html}

    assert shown() == {"good one", "bad one", "old one"}
    assert shown(state="error") == {"bad one"}
    assert shown(agent="second") == {"old one"}
    assert shown(session=other.key) == {"old one"}
    assert shown(day=f"{today:%Y-%m-%d}") == {"good one", "bad one"}
    assert shown(day="yesterday") == {"good one", "bad one", "old one"}
    assert shown(offset="-1", state="nonsense") == set()
    assert shown(offset="9" * 30) == shown(offset="9" * 5_000) == shown()


def test_a_bad_day_is_named(owner: Visitor) -> None:
    assert "2026-01-31" in owner.client.get("/runs/?day=yesterday").content.decode()


def test_many_runs_come_in_pages(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    for number in range(60):
        run_of(session, preview=f"run {number}.", wire_id=f"w{number}")

    first = owner.client.get("/runs/?state=final").content.decode()
    second = owner.client.get("/runs/?state=final&offset=50").content.decode()

    assert "?state=final&amp;offset=50" in first
    assert first.count('class="row-link"') == 50
    assert second.count('class="row-link"') == 10


def test_days_without_an_end_are_empty(owner: Visitor) -> None:
    whole_run(owner)
    owner.person.zone = "Asia/Tokyo"
    owner.person.save()
    for day in ("0001-01-01", "9999-12-31"):
        answer = owner.client.get("/runs/", {"day": day})
        assert answer.status_code == 200
        assert 'class="row-link"' not in answer.content.decode()
