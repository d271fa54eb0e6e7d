"""A sandbox in a real engine, with folders of its own."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from agents.core.abort import AbortSignal
from agents.core.principal import Principal
from agents.core.tools import ToolContext, ToolResult
from tools.policy_turns import policy_fetch
from tools.sandbox.choice import SandboxPlan, sandbox_plan
from tools.sandbox.containers import containers_ours
from tools.sandbox.variants import VARIANTS

Sandbox = Callable[..., ToolContext]
Use = Callable[..., ToolResult]


@pytest.fixture
def engine() -> str:
    """The image to use; the engine is that of `python -m checks.with_docker`."""
    image = os.environ.get("OPENCLAW_TEST_IMAGE", "")
    if not image and os.environ.get("CI") == "true":
        pytest.fail("run these tests by `python -m checks.with_docker`")
    if not image:
        pytest.skip("needs an engine: `python -m checks.with_docker pytest -m docker`")
    return image


@pytest.fixture
def sandbox(engine: str, tmp_path: Path, db: None) -> Iterator[Sandbox]:
    """Makes the context of a sandboxed turn; its containers are removed afterwards."""
    workspace = tmp_path / "ws"
    workspace.mkdir()

    def make(*, session: str = "agent:main:main", docker: Any = None, **stated: Any) -> ToolContext:
        own = {"image": engine, "containerPrefix": f"t{abs(hash(tmp_path)) % 10**8}-"}
        own_root = {"workspaceRoot": str(tmp_path / "sandboxes")}
        document = {"mode": "all", **own_root, **stated, "docker": {**own, **(docker or {})}}
        return context_of(document, workspace, session)

    yield make
    for container in containers_ours(settings.OPENCLAW.home):
        container.remove(force=True, v=True)


def context_of(document: Any, workspace: Path, session: str) -> ToolContext:
    """The context of a turn with these settings."""
    plan = sandbox_plan(
        {"sandbox": document},
        agent="main",
        session_key=session,
        workspace=workspace,
        home=settings.OPENCLAW.home,
    )
    owner = Principal("p1", is_owner=True)
    context = ToolContext("main", session, workspace, owner, sandboxed=plan is not None)
    return replace(context, settings={"sandbox": plan})


def plan_in(context: ToolContext) -> SandboxPlan:
    """The plan of a context."""
    plan = context.settings["sandbox"]
    assert isinstance(plan, SandboxPlan)
    return plan


@pytest.fixture
def use() -> Use:
    """Calls a tool of a sandboxed turn and waits for its result."""

    def call(context: ToolContext, name: str, **arguments: Any) -> ToolResult:
        async def ignore(partial: ToolResult) -> None:
            pass

        async def execute() -> ToolResult:
            await policy_fetch(context)
            return await VARIANTS[name].execute("call", arguments, context, AbortSignal(), ignore)

        return asyncio.run(execute())

    return call


def eventually(check: Callable[[], Any]) -> Any:
    """Asks until the answer is true, for a minute at most; returns it."""
    until = time.monotonic() + 60
    while not (found := check()) and time.monotonic() < until:
        time.sleep(0.1)
    assert found
    return found


def text(result: ToolResult) -> str:
    """The text of a result."""
    return "".join(getattr(block, "text", "") for block in result.content)
