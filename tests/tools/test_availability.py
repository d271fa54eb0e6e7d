"""Tools that cannot be served are left out, each with its reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.availability import AVAILABILITY, tools_unavailable
from tools.policy.decision import policy_apply
from tools.policy.facts import Facts, ToolFact

pytestmark = pytest.mark.django_db


@pytest.fixture
def probe() -> Iterator[None]:
    """A check that works and one that does not."""
    AVAILABILITY.register("well", lambda: "")
    AVAILABILITY.register("broken", lambda: str(1 // 0))
    yield
    AVAILABILITY.unregister("well")
    AVAILABILITY.unregister("broken")


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BRAVE_API_KEY", "TAVILY_API_KEY", "SEARXNG_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    found = dict(tools_unavailable())
    assert found["web_search"] == "no search service has a key or an address"
    assert "web_fetch" not in found


@pytest.mark.usefixtures("probe")
def test_a_check_that_fails_takes_only_its_tool() -> None:
    found = dict(tools_unavailable())
    assert "could not be found out" in found["broken"]
    assert "well" not in found


def test_the_reason_is_told() -> None:
    facts = Facts(
        tools=(ToolFact("read"), ToolFact("web_search")),
        is_owner=True,
        unavailable=(("web_search", "no key"), ("gone", "not here")),
    )
    decision = policy_apply(facts, ())
    assert decision.kept == ("read",)
    assert "no key" in decision.removals["web_search"].rule
