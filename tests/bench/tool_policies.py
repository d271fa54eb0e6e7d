"""What it costs to find the tools of a turn among many, and to show why the others are gone."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure
from tests.bench.measures import Effort
from tests.bench.stand import Stand
from tests.bench.tool_sources import document, many_tools

POLICY_GOAL_MS = 5.0
PAGE_GOAL_MS = 200.0
_CALL = "from tests.bench.tool_policies import report; report({count})"
# Every layer has something to look at.
_RULES: dict[str, Any] = {
    "profile": "coding",
    "alsoAllow": ["group:plugins"],
    "deny": ["*_delete_*", "group:automation"],
    "byProvider": {"rehearsal": {"profile": "mild", "deny": ["plugin:mcp-ma*"]}},
    "profiles": {"mild": {"deny": ["crm_*_9*"]}},
    "toolsBySender": {"*": {"deny": ["wiki_*7", "mcp__files__put_*"]}},
    "subagents": {"tools": {"deny": ["jira_*"]}},
}


async def policy(stand: Stand, effort: Effort) -> list[Figure]:
    """Three plugins and two MCP servers with 200 tools: assembly and policy, and the page."""
    code = _CALL.format(count=effort.of(200, 20))
    found = json.loads(stand.gateway.manage("shell", "-v", "0", "-c", code).splitlines()[-1])
    notes = {
        "tools": found["tools"],
        "first time": found["cold"],
        "kept": found["kept"],
        "n": found["n"],
    }
    return [
        Figure("tools of a turn by nine layers", found["warm"], "ms", POLICY_GOAL_MS, notes=notes),
        Figure("page that explains them", found["page"], "ms", PAGE_GOAL_MS),
    ]


def report(count: int) -> None:
    """Writes the median times in milliseconds as JSON; runs within the gateway's settings."""
    from agents.config.cache import cache_clear
    from agents.core.principal import Principal
    from agents.core.tools import ToolContext
    from tools.registry import tool_schemas, tools_for

    owner = Principal("bench", is_owner=True)
    child = "agent:main:subagent:bench"
    context = ToolContext("main", child, Path("/tmp"), owner, channel="web", sandboxed=False)
    context = replace(context, model="rehearsal/rehearsal")

    def turn() -> int:
        return len(tool_schemas(tools_for(context)))

    with _rules(), many_tools() as tools:
        cache_clear()
        cold = _milliseconds(turn)
        warm = [_milliseconds(turn) for _ in range(count)]
        page = _page(max(3, count // 20))
        figures = {"cold": cold, "warm": _median(warm), "page": page, "kept": turn(), "n": count}
        figures["tools"] = tools
    sys.stdout.write(json.dumps(figures) + "\n")


def _page(count: int) -> float:
    from django.test import Client

    from sessions.people import owner_ensure

    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(owner_ensure().user)  # type: ignore[arg-type]

    def ask() -> None:
        answer = client.get("/policy/", {"session": "agent:main:subagent:bench"})
        if answer.status_code != 200:
            raise RuntimeError(f"the page answered {answer.status_code}")

    ask()
    return _median([_milliseconds(ask) for _ in range(count)])


@contextmanager
def _rules() -> Iterator[None]:
    from agents.config.selectors import document_current
    from agents.config.services import config_apply, config_rollback

    config_apply(text=json.dumps({**document_current(), "tools": _RULES, **document()}))
    try:
        yield
    finally:
        config_rollback()


def _milliseconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return round((time.perf_counter() - began) * 1000, 3)


def _median(values: list[float]) -> float:
    return round(statistics.median(values), 3)
