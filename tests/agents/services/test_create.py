"""Making agents."""

from __future__ import annotations

import pytest

from agents.core.errors import Conflict, UserError
from agents.models import Agent
from agents.services import agent_create

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    agent = agent_create(name=" Research Desk ", workspace="~/research")
    assert (agent.slug, agent.name, agent.is_default) == ("research-desk", "Research Desk", False)
    assert Agent.objects.get(slug="research-desk").workspace == "~/research"


def test_a_taken_id_gets_a_number() -> None:
    assert [agent_create(name="Main").slug for _ in range(3)] == ["main-2", "main-3", "main-4"]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Größe & Maß", "groe-ma"),
        ("猫", "agent"),
        ("_x", "x"),
        ("List", "list-agent"),
        ("a" * 120, "a" * 64),
    ],
)
def test_ids_made_from_names(name: str, slug: str) -> None:
    assert agent_create(name=name).slug == slug


def test_long_names_stay_unique() -> None:
    first, second = agent_create(name="b" * 100), agent_create(name="b" * 100)
    assert (first.slug, second.slug) == ("b" * 64, "b" * 62 + "-2")


def test_a_given_id() -> None:
    assert agent_create(name="X", slug="Ops_1").slug == "ops_1"
    with pytest.raises(Conflict, match="There is an agent ops_1 already"):
        agent_create(name="Y", slug="ops_1")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": "  "}, "an agent needs a name"),
        ({"name": "x" * 121}, "name: "),
        ({"name": "x", "slug": "a b"}, "slug: Use 1 to 64 of"),
        ({"name": "x", "slug": "list"}, "list is a reserved word"),
        ({"name": "x", "model": "nobody/knows"}, "There is no provider nobody"),
        ({"name": "x", "model": "anthropic/claude-opus-5"}, "Set ANTHROPIC_API_KEY"),
        ({"name": "x", "workspace": "/"}, "contains the gateway's own secrets"),
        ({"name": "x", "workspace": "."}, "contains the gateway's own secrets"),
    ],
)
def test_what_cannot_be(fields: dict[str, str], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        agent_create(**fields)
    assert sentence in caught.value.message
    assert Agent.objects.count() == 1


def test_the_first_agent_is_the_default() -> None:
    Agent.objects.all().delete()
    assert agent_create(name="Only").is_default
