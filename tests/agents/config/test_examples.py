"""Documents that people already have apply as they stand."""

from __future__ import annotations

import pytest

from agents.catalog.resolve import resolve_model
from agents.config.selectors import config_get
from agents.config.services import config_apply
from agents.selectors import agent_snapshot
from tests.agents.config.conftest import EXAMPLES, errors_of

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    report = config_apply(text=(EXAMPLES / "side_by_side.json").read_bytes())
    assert report.changed
    assert resolve_model(ref="").ref == "fake/fake-1"
    assert resolve_model(ref="fake-1").api_key == "sk-fake"
    snapshot = agent_snapshot(slug="main")
    assert (str(snapshot.workspace), snapshot.max_concurrent) == ("/absolute/workspace", 64)


def test_keys_without_effect_are_named_in_one_warning() -> None:
    report = config_apply(text=(EXAMPLES / "side_by_side.json").read_bytes())
    assert [str(issue) for issue in report.warnings] == [
        "kept, but without effect in this version: discovery, update, "
        "gateway.http.endpoints.responses"
    ]


def test_applying_it_again_changes_nothing() -> None:
    text = (EXAMPLES / "side_by_side.json").read_bytes()
    config_apply(text=text)
    assert not config_apply(text=text).changed


def test_every_known_section_is_accepted_and_given_back(everything: str) -> None:
    report = config_apply(text=everything)
    kept = config_get()
    for name in ("cron", "talk", "bindings", "auth", "broadcast", "wizard", "$schema"):
        assert name in kept, name
    assert kept["bindings"] == [
        {"agentId": "ops", "match": {"channel": "telegram", "accountId": "ops"}}
    ]
    assert kept["models"]["providers"]["gem"]["api"] == "google-vertex"
    assert report.warnings[0].message.startswith("kept, but without effect in this version: ")
    assert "models.providers.gem.api" in [issue.path for issue in report.warnings]


def test_a_missing_variable_is_named_with_its_place(
    everything: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TELEGRAM_BOT_TOKEN")
    assert errors_of(everything) == [
        "line 39: channels.telegram.botToken: "
        "the environment variable TELEGRAM_BOT_TOKEN is not set"
    ]
