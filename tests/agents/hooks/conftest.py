"""Fixtures of the hook tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.hooks import HOOKS, HookContext, HookRecord

PLUGIN = "under-test"


@pytest.fixture
def records() -> list[HookRecord]:
    """What was noted of the calls made with `ctx`."""
    return []


@pytest.fixture
def ctx(records: list[HookRecord]) -> HookContext:
    """A context that notes every call."""
    return HookContext(agent_id="main", run_id="run-1", record=records.append)


@pytest.fixture(autouse=True)
def _handlers_end() -> Iterator[None]:
    yield
    HOOKS.remove(plugin=PLUGIN)
