"""What a turn sees of an agent."""

from __future__ import annotations

import pytest
from django.conf import settings

from agents.config.services import config_apply
from agents.core.errors import NotFound, UserError
from agents.models import Agent
from agents.selectors import agent_snapshot, default_agent_slug
from agents.services import agent_create

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    snapshot = agent_snapshot(slug="main")
    assert (snapshot.slug, snapshot.name, snapshot.model) == ("main", "main", "rehearsal/rehearsal")
    assert (snapshot.thinking, snapshot.timeout_seconds) == ("off", 600)
    assert (snapshot.max_concurrent, snapshot.fallbacks) == (4, ())
    assert snapshot.workspace == settings.OPENCLAW.home / "workspace"


def test_own_settings_go_before_the_defaults() -> None:
    config_apply(
        text="""{agents: {
          defaults: {timeoutSeconds: 5, maxConcurrent: 6, thinkingDefault: 'low',
            model: {primary: 'rehearsal', fallbacks: ['x/y']}, heartbeat: {b: 2},
            sandbox: {mode: 'all', docker: {env: {A: '1'}}}},
          list: [{id: 'main'}, {id: 'own', timeoutSeconds: 0, maxConcurrent: 1, name: 'Own',
            thinkingDefault: 'high', sandbox: {docker: {env: {B: '2'}}}, systemPrompt: 'Hi.'}]}}"""
    )
    main, own = agent_snapshot(slug="main"), agent_snapshot(slug="own")
    assert (main.timeout_seconds, main.max_concurrent, main.thinking) == (5, 6, "low")
    assert (own.timeout_seconds, own.max_concurrent, own.thinking) == (0, 1, "high")
    assert (main.fallbacks, own.system_prompt) == (("x/y",), "Hi.")
    assert own.settings["sandbox"] == {"mode": "all", "docker": {"env": {"A": "1", "B": "2"}}}
    assert own.settings["heartbeat"] == {"b": 2}


def test_unknown_agents() -> None:
    agent_create(name="Research")
    with pytest.raises(NotFound, match=r"There is no agent reserch\. Did you mean research\?"):
        agent_snapshot(slug="reserch")


def test_the_case_of_an_id_does_not_matter() -> None:
    assert agent_snapshot(slug="MAIN").slug == "main"


def test_an_agent_that_is_switched_off() -> None:
    Agent.objects.create(slug="off", enabled=False)
    with pytest.raises(UserError, match="switched off"):
        agent_snapshot(slug="off")


def test_before_there_are_rows() -> None:
    Agent.objects.all().delete()
    assert default_agent_slug() == "main"
    assert agent_snapshot(slug="main").workspace.name == "workspace"
    with pytest.raises(NotFound):
        agent_snapshot(slug="other")


def test_what_a_run_keeps_of_it() -> None:
    config_apply(text="{agents: {list: [{id: 'main', tts: {apiKey: 'secret'}}]}}")
    kept = agent_snapshot(slug="main").to_json()
    assert kept["model"] == "rehearsal/rehearsal"
    assert "secret" not in str(kept)


@pytest.mark.django_db(transaction=True)
def test_changes_are_seen_at_once() -> None:
    agent_snapshot(slug="main")
    agent = Agent.objects.get(slug="main")
    agent.name = "Renamed"
    agent.save()
    assert agent_snapshot(slug="main").name == "Renamed"
