"""Settings where no rows can be read."""

from __future__ import annotations

import pytest
from django.core.exceptions import SynchronousOnlyOperation

from agents.config.cache import cache_clear, cached
from agents.config.registry import section
from agents.config.services import config_apply
from agents.database import run_db

pytestmark = pytest.mark.django_db(transaction=True)


async def test_it_works() -> None:
    """On an event loop the last known value holds, until somebody reads anew elsewhere."""
    await run_db(lambda: config_apply(text="{tools: {fs: {workspaceOnly: false}}}"))
    assert not (await run_db(lambda: section("tools"))).fs.workspace_only
    cache_clear()
    assert not section("tools").fs.workspace_only
    await run_db(lambda: config_apply(text="{tools: {fs: {workspaceOnly: true}}}"))
    assert (await run_db(lambda: section("tools"))).fs.workspace_only
    assert section("tools").fs.workspace_only


async def test_what_was_never_read() -> None:
    """Then there is nothing to hold on to."""
    with pytest.raises(SynchronousOnlyOperation):
        cached(("never", "read"), lambda: list(_rows()))


def test_elsewhere_old_values_do_not_count() -> None:
    found = iter(["old", "new"])
    assert cached("elsewhere", lambda: next(found)) == "old"
    cache_clear()
    assert cached("elsewhere", lambda: next(found)) == "new"


def _rows() -> list[object]:
    from agents.models import Agent

    return list(Agent.objects.all())
