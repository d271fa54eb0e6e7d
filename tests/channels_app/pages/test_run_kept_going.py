"""How a run kept going: failed attempts, summaries, hooks and warnings in its timeline."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from channels_app.pages.timeline import run_steps
from sessions.models import Compaction, HookCall, InboundReceipt, InboxItem, ModelCall, Run
from sessions.run_selectors import runs_list
from tests.channels_app.pages.conftest import Visitor, run_of, session_of

KEY = "agent:main:main"
SECRET = "sk-abcdefghijklmnopqrstuvwx"
ZERO = timezone.now() - timedelta(seconds=30)


def at(milliseconds: int) -> datetime:
    """A moment after the beginning."""
    return ZERO + timedelta(milliseconds=milliseconds)


def call(run: Run, number: int, begin: int, **fields: object) -> ModelCall:
    """A model call of 100 ms."""
    values = {"provider": "openai", "model": "small", "state": "done", **fields}
    return ModelCall.objects.create(
        run=run, number=number, started_at=at(begin), ended_at=at(begin + 100), **values
    )


def hook(run: Run, begin: int, name: str, **fields: object) -> HookCall:
    """A call of a plugin's handler."""
    values = {"handler": "audit:seen", "outcome": "done", "duration_ms": 0.4, **fields}
    return HookCall.objects.create(run=run, hook=name, started_at=at(begin), **values)


def hard_run(visitor: Visitor) -> Run:
    """A turn that was rate limited, went to another model, and was too long on the way."""
    session = session_of(visitor.person, KEY)
    run = run_of(
        session, accepted_at=ZERO, started_at=at(10), ended_at=at(2000),
        warnings=["openai/small was replaced by lab/large."],
    )  # fmt: skip
    call(
        run, 1, 100, state="failed", error_kind="rate_limit", http_status=429, action="rotate",
        action_reason=f"the quota of {SECRET} is used up", profile="openai:work",
    )  # fmt: skip
    call(
        run, 2, 300, state="failed", error_kind="context_overflow", http_status=400, attempt=2,
        action="compact", profile="openai:home",
    )  # fmt: skip
    call(run, 3, 500, purpose="compaction")
    assert session.current is not None
    Compaction.objects.create(
        session=session, transcript=session.current, run=run, trigger="overflow", outcome="done",
        diagnostic="cmp-123", tokens_before=120_000, tokens_after=20_000, messages_before=80,
        messages_kept=12, duration_ms=150, created_at=at(650), provider="openai", model="small",
        top=[{"role": "toolResult", "tool": "read", "tokens": 40_000}],
    )  # fmt: skip
    call(run, 4, 700, attempt=3, provider="lab", model="large")
    for place, name in enumerate(("llm_input", "model_call_started", "llm_output")):
        hook(run, 60 + place, name)
    hook(run, 900, "before_tool_call", outcome="blocked", note="not on Sundays")
    return run


def test_it_works(owner: Visitor) -> None:
    """Everything in one list, in the order of the clock."""
    run = hard_run(owner)
    shown = [(step.kind, step.title, step.state_kind) for step in run_steps(run)]
    assert shown == [
        ("waited", "Waited for a worker", "none"),
        ("hook", "3 hooks", "ok"),
        ("model", "Model call 1", "warn"),
        ("model", "Model call 2", "warn"),
        ("model", "Summary, call 3", "ok"),
        ("compaction", "History summarised", "ok"),
        ("model", "Model call 4", "ok"),
        ("hook", "before_tool_call", "warn"),
        ("end", "Ended", "ok"),
    ]
    html = owner.client.get(f"/runs/{run.pk}/").content.decode()
    for text in (
        "openai/small was replaced by lab/large.",
        "rate_limit 429 → next credential",
        "context_overflow 400 → history summarised",
        "attempt 3",
        "openai:work",
        "overflow · 120k → 20.0k tokens",
        "cmp-123",
        "read 40.0k",
        "audit:seen · not on Sundays",
    ):
        assert text in html, text
    assert SECRET not in html


def test_the_failure_that_ends_a_run_stands_out(owner: Visitor) -> None:
    """It is open and bad; those that were got over are folded."""
    run = run_of(session_of(owner.person, KEY), outcome="error", started_at=ZERO)
    call(run, 1, 0, state="failed", error_kind="overloaded", action="retry")
    call(run, 2, 200, state="failed", error_kind="auth", action="stop", attempt=2)
    kinds = [step.state_kind for step in run_steps(run) if step.kind == "model"]
    assert kinds == ["warn", "bad"]


def test_hooks_that_went_wrong_are_not_folded(owner: Visitor) -> None:
    """Slow ones, and those that changed something, neither."""
    run = run_of(session_of(owner.person, KEY), started_at=ZERO)
    calls: list[dict[str, object]] = [
        {}, {}, {"outcome": "failed", "note": "ValueError"}, {"duration_ms": 400.0},
        {"note": "set params"}, {}, {"outcome": "timeout"},
    ]  # fmt: skip
    for place, fields in enumerate(calls):
        hook(run, place * 10, f"hook_{place}", **fields)
    titles = [step.title for step in run_steps(run) if step.kind == "hook"]
    assert titles == ["2 hooks", "hook_2", "hook_3", "hook_4", "hook_5", "hook_6"]


def test_hooks_of_its_messages_are_there(owner: Visitor) -> None:
    """message_received was called before there was a run."""
    session = session_of(owner.person, KEY)
    run = run_of(session)
    receipt = InboundReceipt.objects.create(source="web", source_id="1", digest="0")
    item = InboxItem.objects.create(
        session=session, receipt=receipt, person=owner.person, principal={}, wire_id="wire-1",
        text="hi", origin={"kind": "web"}, run=run, outcome="answered",
    )  # fmt: skip
    HookCall.objects.create(item=item, hook="message_received", handler="a:b", outcome="done")
    assert "message_received" in [step.title for step in run_steps(run)]


def test_the_filters(owner: Visitor) -> None:
    """Had a failover, was compacted; unknown words find nothing."""
    hard = hard_run(owner)
    plain = run_of(session_of(owner.person, "agent:main:web:plain"), wire_id="plain")
    call(plain, 1, 0)
    assert plain.pk in {run.pk for run in runs_list(principal=owner.principal)}
    for had in ("failover", "compaction"):
        found = runs_list(principal=owner.principal, had=had)
        assert [run.pk for run in found] == [hard.pk]
        html = owner.client.get(f"/runs/?had={had}").content.decode()
        assert f"/runs/{hard.pk}/" in html
        assert f"/runs/{plain.pk}/" not in html
    assert runs_list(principal=owner.principal, had="nonsense") == []
    html = owner.client.get("/runs/").content.decode()
    assert html.count('<span class="tag">failover</span>') == 1
    assert html.count('<span class="tag">summarised</span>') == 1
