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


async def test_who_can_tell_that_nothing_is_fresh_is_told() -> None:
    """Rules are read elsewhere when they have become old; an old one must not hide that."""
    await run_db(lambda: cached("rules", lambda: "old"))
    cache_clear()

    def refused() -> str:
        raise LookupError

    with pytest.raises(LookupError):
        cached("rules", refused)


async def test_what_is_made_of_an_old_value_is_not_remembered() -> None:
    def rows() -> str:
        return str(len(_rows()))

    await run_db(lambda: cached("inner", rows))
    cache_clear()
    assert cached("outer", lambda: cached("inner", rows) + "!").endswith("!")
    assert await run_db(lambda: cached("outer", lambda: "fresh")) == "fresh"


def _rows() -> list[object]:
    from agents.models import Agent

    return list(Agent.objects.all())
