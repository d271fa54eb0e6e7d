"""Short names of models in the prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.config.services import config_apply
from agents.core.principal import Principal
from agents.prompt.build import system_prompt
from agents.selectors import agent_snapshot

pytestmark = pytest.mark.django_db

PERSON = Principal(id="p1", zone="UTC")
ALIASED = """{agents: {defaults: {model: 'lab/a', models: {%s}}},
  models: {providers: {lab: {baseUrl: 'http://10.0.0.1/v1'}}}}"""


def prompt() -> str:
    snapshot = agent_snapshot(slug="main")
    assert isinstance(snapshot.workspace, Path)
    return system_prompt(snapshot=snapshot, tools=(), principal=PERSON, channel="web")


def test_it_works() -> None:
    config_apply(
        text=ALIASED % "'lab/b': {alias: 'quick'}, 'lab/a': {alias: 'Clever'}, 'lab/c': {}"
    )
    told = prompt()
    assert "## Model Aliases\n" in told
    assert "- Clever: lab/a\n- quick: lab/b\n" in told
    assert "lab/c" not in told


def test_without_aliases_there_is_no_section() -> None:
    assert "Model Aliases" not in prompt()


def test_the_order_of_writing_changes_nothing() -> None:
    config_apply(text=ALIASED % "'lab/a': {alias: 'x'}, 'lab/b': {alias: 'y'}")
    first = prompt()
    config_apply(text=ALIASED % "'lab/b': {alias: 'y'}, 'lab/a': {alias: 'x'}")
    assert prompt() == first
