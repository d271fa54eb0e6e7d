"""Tells an operator which sandbox a session gets and why, and what this machine can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agents.core.errors import OpenClawError, ToolError
from agents.selectors import agent_snapshot
from tools.sandbox.choice import SandboxPlan, config_hash, sandbox_plan
from tools.sandbox.containers import container_find, user_of
from tools.sandbox.engine import (
    engine_abilities,
    engine_address,
    engine_errors,
    engine_host_paths,
)
from tools.sandbox.mounts import mounts_of
from tools.sandbox.ready import home_folder


def sandbox_explain(*, agent: str, session_key: str) -> dict[str, Any]:
    """The facts for a session of an agent, ready for JSON. Raises NotFound for unknown agents."""
    snapshot = agent_snapshot(slug=agent)
    plan = sandbox_plan(
        snapshot.settings,
        agent=snapshot.slug,
        session_key=session_key,
        workspace=snapshot.workspace,
        home=home_folder(),
    )
    facts: dict[str, Any] = {"agent": snapshot.slug, "session": session_key}
    facts["sandboxed"] = plan is not None
    if plan is None:
        return facts
    return {**facts, **_plan_facts(plan), "engine": _engine_facts(plan)}


def explain_lines(facts: dict[str, Any]) -> Iterator[str]:
    """The same for people, one line a fact."""
    for key, value in facts.items():
        if isinstance(value, dict):
            yield f"{key}:"
            yield from (f"  {line}" for line in explain_lines(value))
        elif isinstance(value, list):
            yield f"{key}: {'' if value else 'none'}"
            yield from (f"  - {item}" for item in value)
        else:
            yield f"{key}: {value}"


def _plan_facts(plan: SandboxPlan) -> dict[str, Any]:
    config = plan.config
    facts: dict[str, Any] = {
        "mode": config.mode,
        "scope": plan.scope_key,
        "workspaceAccess": config.workspace_access,
        "container": plan.name,
        "image": config.docker.image,
        "network": config.docker.network,
        "folder": str(plan.folder),
        "weakened": config.docker.weakened(),
        "problems": [],
    }
    if plan.fault:
        facts["problems"].append(plan.fault)
    try:
        paths = engine_host_paths()
        mounts = mounts_of(plan, home=home_folder())
        facts["mounts"] = [mount.spec(paths) for mount in mounts]
        if plan.folder.is_dir():
            facts["user"] = user_of(plan)
            facts["configHash"] = config_hash(config, mounts, facts["user"])
    except OpenClawError as error:
        facts["problems"].append(error.message)
    return facts


def _engine_facts(plan: SandboxPlan) -> dict[str, Any]:
    facts: dict[str, Any] = {"address": engine_address()}
    try:
        abilities = engine_abilities()
        with engine_errors():
            container = container_find(plan.name)
    except ToolError as error:
        return {**facts, "problem": error.message}
    facts["version"] = abilities.version
    facts["cannot"] = abilities.absent()
    facts["refused"] = abilities.missing(plan.config.docker)
    facts["container"] = container.status if container is not None else "not made yet"
    return facts
