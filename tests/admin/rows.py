"""Rows of every table, as the product would have written them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from agents.models import (
    Agent,
    AuthProfile,
    Binding,
    ConfigRevision,
    ConfigSection,
    DeviceSignIn,
    ProfileState,
    Provider,
)
from channels_app.models import Device
from channels_app.tokens import api_token_create
from sessions.models import (
    Approval,
    Artifact,
    Budget,
    BudgetHold,
    BudgetWindow,
    ChannelIdentity,
    Compaction,
    Delivery,
    Entry,
    HookCall,
    InboundReceipt,
    InboxItem,
    ModelCall,
    Person,
    Prompt,
    Run,
    Session,
    SubagentRun,
    Switch,
    SystemEvent,
    ToolCall,
    Transcript,
)
from sessions.people import signin_link_create
from tools.models import ExecAllowance, McpCatalogue, SandboxContainer


def session_make(person: Person, agent: str = "main") -> Session:
    """A session with its transcript."""
    session = Session.objects.create(
        key=f"agent:{agent}:web:{uuid4().hex}", agent_slug=agent, owner=person, title="A talk"
    )
    session.current = Transcript.objects.create(session=session)
    session.save()
    return session


def run_make(session: Session, *, at: datetime | None = None, **fields: Any) -> Run:
    """A run that ended two seconds after it started, unless `state` says otherwise."""
    at = at or timezone.now()
    values: dict[str, Any] = {
        "state": "ended",
        "outcome": "final",
        "wire_id": uuid4().hex,
        "preview": "List the files",
        "agent_slug": session.agent_slug,
        "accepted_at": at,
        "started_at": at,
        "ended_at": at + timedelta(seconds=2) if fields.get("state") in (None, "ended") else None,
    }
    assert session.current is not None
    return Run.objects.create(
        session=session, transcript=session.current, person=session.owner, **{**values, **fields}
    )


def call_make(run: Run, **fields: Any) -> ModelCall:
    """A model call at the time of its run."""
    number = run.model_calls.count() + 1
    values = {"provider": "lab", "model": "one", "state": "done", "started_at": run.started_at}
    return ModelCall.objects.create(run=run, number=number, **{**values, **fields})


def everything_make(person: Person, suffix: str) -> None:
    """At least one row in every table; `suffix` makes names apart."""
    session = session_make(person)
    run = run_make(session)
    budget = Budget.objects.create(
        scope="agent", target=f"a{suffix}", period="day", limit_usd=1.0, limit_tokens=5000
    )
    window = BudgetWindow.objects.create(budget=budget, target="main", starts_at=run.started_at)
    BudgetHold.objects.create(window=window, run_id=run.pk, number=1, usd=0.1, tokens=100)
    prompt = Prompt.objects.create(
        digest=f"{suffix:0>64}", system="Be kind.", tools=[{"name": "x"}]
    )
    call_make(run, prompt=prompt)
    ToolCall.objects.create(
        run=run, entry_id="00000001", call_id="c", name="exec", arguments={"command": "ls"}
    )
    assert session.current is not None
    Entry.objects.create(
        transcript=session.current,
        seq=1,
        entry_id="00000001",
        role="user",
        body={"role": "user", "content": [{"type": "text", "text": "Guten Tag"}]},
        run_id=run.pk,
    )
    receipt = InboundReceipt.objects.create(source="ws", source_id=run.wire_id, digest="0" * 64)
    item = InboxItem.objects.create(
        session=session,
        receipt=receipt,
        person=person,
        principal={"id": person.pk},
        wire_id=run.wire_id,
        text="List the files",
        run=run,
        outcome="answered",
    )
    Delivery.objects.create(run=run, item=item, kind="web", state="sent")
    Compaction.objects.create(
        session=session, transcript=session.current, run=run, trigger="budget", outcome="done"
    )
    HookCall.objects.create(item=item, hook="message_received", handler="p:f", outcome="done")
    HookCall.objects.create(run=run, hook="llm_input", handler="p:g", outcome="failed", note="x")
    Artifact.objects.create(
        person=person, name="a.txt", mime_type="text/plain", size=3, sha256="0" * 64, path="a"
    )
    SubagentRun.objects.create(parent=session, task="Count the files", child_run_id=run.pk)
    _approval_make(run, suffix)
    SystemEvent.objects.create(session=session, run=run, source="exec", text="It has ended.")
    Switch.objects.get_or_create(name="everything")
    ChannelIdentity.objects.create(person=person, channel="telegram", peer=suffix)
    signin_link_create(person=person)
    _programs_make(person, suffix)
    _agents_make(suffix)
    _tools_make(suffix)


def _approval_make(run: Run, suffix: str) -> None:
    """A question that waits."""
    Approval.objects.create(
        slug=f"slug{suffix}",
        run=run,
        session=run.session,
        agent_slug="main",
        call_id=suffix,
        tool="exec",
        arguments={"command": "date"},
        decisions=["allow-once", "deny"],
        expires_at=timezone.now() + timedelta(hours=1),
    )


def _programs_make(person: Person, suffix: str) -> None:
    Device.objects.create(
        id=f"{suffix:0>64}", public_key="k", name=f"phone {suffix}", person=person
    )
    api_token_create(person=person, name=f"token {suffix}", scopes=["operator.read"])
    every, _made = IntervalSchedule.objects.get_or_create(every=3, period="seconds")
    PeriodicTask.objects.create(name=f"tick {suffix}", task="x", interval=every)


def _agents_make(suffix: str) -> None:
    agent = Agent.objects.create(slug=f"agent-{suffix}", name=f"Agent {suffix}")
    Binding.objects.create(agent=agent, channel="telegram")
    Provider.objects.create(
        name=f"lab-{suffix}", api="openai-completions", base_url="http://lab.local/v1"
    )
    AuthProfile.objects.create(name=f"key-{suffix}", provider=f"lab-{suffix}", secret="s3cret")
    ProfileState.objects.create(profile=f"key-{suffix}", model="m", reason="timeout")
    DeviceSignIn.objects.create(
        provider="github-copilot",
        profile=f"github-copilot:{suffix}",
        device_code="s3cret",
        user_code=f"AAAA-{suffix}",
        address="https://github.com/login/device",
        expires_at=timezone.now(),
    )
    ConfigSection.objects.create(name=f"section-{suffix}", document={"a": 1})
    ConfigRevision.objects.create(document={"a": 1}, author="olga")


def _tools_make(suffix: str) -> None:
    ExecAllowance.objects.create(agent_slug="main", pattern=f"/opt/lab/{suffix}")
    SandboxContainer.objects.create(
        name=f"sbx-{suffix}", scope_key="agent:main", image="lab", config_hash="0" * 64
    )
    McpCatalogue.objects.create(server=f"lab{suffix}", mark="m", tools=[{"name": "look"}])
