"""Changing and removing agents."""

from __future__ import annotations

import pytest

from agents.core.errors import NotFound, UserError
from agents.models import Agent, Binding
from agents.selectors import agents_list, default_agent_slug
from agents.services import agent_create, agent_delete, agent_ensure_main, agent_update

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    agent_create(name="Ops")
    agent = agent_update(slug="OPS", changes={"name": "Operations", "max_concurrent": 9})
    assert (agent.name, agent.max_concurrent) == ("Operations", 9)


def test_the_default_moves() -> None:
    agent_create(name="Ops")
    agent_update(slug="ops", changes={"is_default": True})
    assert default_agent_slug() == "ops"
    assert [(a.slug, a.is_default) for a in agents_list()] == [("ops", True), ("main", False)]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"is_default": False}, "Make another agent the default instead"),
        ({"enabled": False}, "The default agent cannot be switched off"),
        ({"slug": "new"}, "Not changeable: slug"),
        ({"model": "nobody/x"}, "There is no provider nobody"),
        ({"max_concurrent": -1}, "max_concurrent: "),
        ({"workspace": "/"}, "workspace: "),
    ],
)
def test_what_cannot_be(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        agent_update(slug="main", changes=changes)


def test_an_old_model_does_not_stop_other_changes() -> None:
    """Its provider may have lost its key meanwhile."""
    Agent.objects.create(slug="old", model="gone/model")
    assert agent_update(slug="old", changes={"name": "Old"}).name == "Old"


def test_removing() -> None:
    agent = agent_create(name="Ops")
    Binding.objects.create(agent=agent, channel="telegram")
    agent_delete(slug="ops")
    assert not Binding.objects.exists()
    with pytest.raises(NotFound, match="There is no agent ops"):
        agent_delete(slug="ops")


def test_the_default_stays() -> None:
    with pytest.raises(UserError, match="cannot be removed"):
        agent_delete(slug="main")


def test_there_is_always_one() -> None:
    assert agent_ensure_main().slug == "main"
    Agent.objects.all().delete()
    made = agent_ensure_main()
    assert (made.slug, made.is_default) == ("main", True)
    assert agent_ensure_main() == made


def test_a_default_is_found_again() -> None:
    Agent.objects.all().delete()
    Agent.objects.create(slug="a")
    assert agent_ensure_main().slug == "a"
    assert Agent.objects.get(slug="a").is_default
