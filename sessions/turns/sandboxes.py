"""The sandbox of a session, as its turns, its prompt and its attached files need it."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from agents.selectors import AgentSnapshot
from tools.sandbox.choice import SandboxPlan, sandbox_plan
from tools.sandbox.words import sandbox_words


def session_sandbox(snapshot: AgentSnapshot, session_key: str) -> SandboxPlan | None:
    """The sandbox that the session's turns work in; None when it is the machine itself.

    Queries nothing and costs next to nothing without a sandbox.
    """
    return sandbox_plan(
        snapshot.settings,
        agent=snapshot.slug,
        session_key=session_key,
        workspace=Path(snapshot.workspace),
        home=Path(settings.OPENCLAW.home),
    )


def session_folder(snapshot: AgentSnapshot, session_key: str) -> Path:
    """The folder of this machine that the session's turns have as their workspace."""
    plan = session_sandbox(snapshot, session_key)
    return Path(snapshot.workspace) if plan is None else plan.folder


def sandbox_prompt(snapshot: AgentSnapshot, session_key: str) -> str:
    """What the agent is told of its sandbox, "" without one."""
    plan = session_sandbox(snapshot, session_key)
    return "" if plan is None else sandbox_words(plan)
