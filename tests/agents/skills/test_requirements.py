"""What keeps a skill from being used."""

from __future__ import annotations

from typing import Any

import pytest

from agents.skills.requirements import Place, refusal, requirements_of

HERE = Place(
    os="linux",
    has_bin=lambda name: name in ("git", "sh"),
    has_env=lambda name: name == "TOKEN",
    truthy=lambda path: path == "browser.enabled",
)


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({}, ""),
        ({"os": ["linux", "darwin"]}, ""),
        ({"os": "darwin"}, "is for darwin; this is linux"),
        ({"requires": {"bins": ["git", "sh"]}}, ""),
        ({"requires": {"bins": ["git", "gh", "jq"]}}, "needs the program gh, jq"),
        ({"requires": {"anyBins": ["gh", "git"]}}, ""),
        ({"requires": {"anyBins": ["gh", "hub"]}}, "needs one of the programs gh, hub"),
        ({"requires": {"env": ["TOKEN"]}}, ""),
        ({"requires": {"env": ["TOKEN", "KEY"]}}, "needs the variable KEY"),
        ({"requires": {"config": ["browser.enabled"]}}, ""),
        ({"requires": {"config": ["a.b"]}}, "needs the setting a.b"),
        ({"always": True, "os": ["win32"], "requires": {"bins": ["x"]}}, ""),
        ({"os": 7, "requires": [1]}, ""),
    ],
)
def test_it_works(metadata: dict[str, Any], reason: str) -> None:
    assert refusal(requirements_of("s", metadata), HERE) == reason


def test_the_key_of_its_settings() -> None:
    assert requirements_of("s", {}).key == "s"
    assert requirements_of("s", {"skillKey": "t", "primaryEnv": "K"}).key == "t"
    assert requirements_of("s", {"skillKey": "t", "primaryEnv": "K"}).primary_env == "K"
