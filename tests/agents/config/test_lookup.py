"""The schema of one place of the configuration."""

from __future__ import annotations

from typing import Any

import pytest

from agents.config.lookup import config_schema_lookup
from agents.config.registry import KNOWN_KEYS
from agents.core.errors import NotFound, UserError


def child(found: dict[str, Any], key: str) -> dict[str, Any]:
    (one,) = [each for each in found["children"] if each["key"] == key]
    return dict(one)


def test_it_works() -> None:
    found = config_schema_lookup(path="tools.exec")
    assert found["path"] == "tools.exec"
    assert child(found, "timeoutSec") == {
        "key": "timeoutSec",
        "path": "tools.exec.timeoutSec",
        "type": "number",
        "required": False,
        "hasChildren": False,
    }
    assert child(found, "applyPatch")["hasChildren"]
    limits = config_schema_lookup(path="tools.exec.backgroundMs")["schema"]
    assert (limits["type"], limits["default"], limits["minimum"]) == ("integer", 10_000, 10)


def test_the_whole() -> None:
    keys = {each["key"] for each in config_schema_lookup(path="")["children"]}
    assert set(KNOWN_KEYS) <= keys


@pytest.mark.parametrize("path", ["agents.list[0].model", "agents.list[].id", "agents.list.main"])
def test_items_of_lists(path: str) -> None:
    assert config_schema_lookup(path=path)["path"] == path


def test_a_wrong_name_is_told_the_nearest() -> None:
    with pytest.raises(NotFound, match="timeoutSec"):
        config_schema_lookup(path="tools.exec.timeoutSecs")
    with pytest.raises(NotFound):
        config_schema_lookup(path="nothing.at.all")


@pytest.mark.parametrize("path", ["a..[", "[", "x" * 2_000])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(UserError):
        config_schema_lookup(path=path)
