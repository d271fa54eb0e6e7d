"""What a call of `browser` may say."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from agents.core.errors import ToolError
from tools.browser.actions import snapshot_settings
from tools.browser.acts import ACTS
from tools.browser.arguments import arguments_read
from tools.browser.downloads import download_name
from tools.browser.schema import ACTIONS, KINDS, PARAMETERS
from tools.browser.settings import BrowserDocument


def test_it_works() -> None:
    found = arguments_read(
        {"action": "act", "request": {"kind": "click", "ref": "e1"}, "timeoutMs": 5_000}
    )
    assert (found.action, found.text("kind"), found.text("ref")) == ("act", "click", "e1")
    assert found.timeout == 5_000
    assert arguments_read({"action": "tabs", "timeoutMs": 10**9}).timeout == 120_000
    assert arguments_read({"action": "open", "targetUrl": "x"}).text("url") == "x"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "action: must be one of doctor"),
        ({"action": "fly"}, "action: must be one of"),
        ({"action": "act"}, "kind: must be one of click"),
        ({"action": "act", "request": {"kind": "fly"}}, "kind: must be one of"),
        ({"action": "act", "request": "click"}, "request: expected an object"),
        ({"action": "tabs", "target": "node"}, "target: only host"),
        ({"action": "tabs", "profile": "user"}, "profile: only 'openclaw'"),
    ],
)
def test_what_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ToolError, match=words):
        arguments_read(given)


def test_the_schema_is_valid_and_closed() -> None:
    jsonschema.Draft202012Validator.check_schema(dict(PARAMETERS))
    validator = jsonschema.Draft202012Validator(dict(PARAMETERS))
    assert validator.is_valid({"action": "act", "request": {"kind": "wait", "timeMs": 5}})
    assert not validator.is_valid({"action": "tabs", "surprise": 1})
    assert set(PARAMETERS["properties"]["action"]["enum"]) == set(ACTIONS)
    assert {*ACTS, "close"} == set(KINDS)


def test_modes_of_snapshots() -> None:
    plain, is_ai = snapshot_settings(arguments_read({"action": "snapshot"}), BrowserDocument())
    assert (plain.chars, plain.depth, plain.compact, is_ai) == (40_000, 0, False, True)
    efficient = BrowserDocument.model_validate({"snapshotDefaults": {"mode": "efficient"}})
    short, _is_ai = snapshot_settings(arguments_read({"action": "snapshot"}), efficient)
    assert (short.chars, short.depth, short.compact) == (8_000, 6, True)


@pytest.mark.parametrize(
    ("suggested", "begin", "end"),
    [
        ("a b.csv", "a-b-", ".csv"),
        ("../../etc/passwd", "passwd-", ""),
        ("C:\\x\\y.exe", "y-", ".exe"),
        (".bashrc", "bashrc-", ""),
        ("", "file-", ""),
        ("...", "file-", ""),
        ("größe.日本", "größe-", ".日本"),
        ("x" * 500 + "." + "y" * 500, "x" * 80 + "-", "." + "y" * 10),
        ("a\x00\n\u202etxt.exe", "a-txt-", ".exe"),
    ],
)
def test_names_of_files_that_pages_give(suggested: str, begin: str, end: str) -> None:
    name = download_name(suggested)
    assert name.startswith(begin)
    assert name.endswith(end)
    assert "/" not in name
    assert name != download_name(suggested)
