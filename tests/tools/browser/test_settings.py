"""The `browser` section, and when agents have a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from agents.config.issues import ConfigInvalid
from agents.config.services import config_apply
from tools.availability import tools_unavailable
from tools.browser.availability import NAMES, executable_find, settings_problem
from tools.browser.settings import BrowserDocument, browser_settings

pytestmark = pytest.mark.django_db


def stated(**fields: Any) -> BrowserDocument:
    return BrowserDocument.model_validate({"noSandbox": True, **fields})


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_it_works(programs: Path) -> None:
    assert "no Chromium was found" in settings_problem(stated())
    path = program(programs, NAMES[1])
    assert executable_find(stated()) == path
    assert settings_problem(stated()) == ""


def test_reasons(programs: Path) -> None:
    assert "browser.enabled" in settings_problem(stated(enabled=False))
    gone = stated(executablePath=str(programs / "gone"))
    assert "executablePath names no program" in settings_problem(gone)
    own = program(programs, "own")
    assert settings_problem(stated(executablePath=own)) == ""


def test_root_needs_to_say_so(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(programs, "chromium")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert "browser.noSandbox" in settings_problem(stated(noSandbox=False))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert settings_problem(stated(noSandbox=False)) == ""


def test_the_document_decides() -> None:
    assert browser_settings() == BrowserDocument()
    config_apply(text=orjson.dumps({"browser": {"enabled": False, "headless": False}}))
    assert browser_settings().headless is False
    assert "browser.enabled" in dict(tools_unavailable())["browser"]


@pytest.mark.parametrize(
    ("section", "path"),
    [
        ({"executablePath": "chromium"}, "browser.executablePath"),
        ({"headless": "yes"}, "browser.headless"),
        ({"ssrfPolicy": {"allowedHostnames": ["a b"]}}, "browser.ssrfPolicy.allowedHostnames[0]"),
        ({"snapshotDefaults": {"mode": "huge"}}, "browser.snapshotDefaults.mode"),
        ({"surprise": 1}, "browser.surprise"),
    ],
)
def test_what_is_refused(section: dict[str, Any], path: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        config_apply(text=orjson.dumps({"browser": section}))
    assert [issue.path for issue in caught.value.report.errors] == [path]


def test_warnings() -> None:
    section = {"noSandbox": True, "ssrfPolicy": {"allowPrivateNetwork": True}, "color": "#fff"}
    report = config_apply(text=orjson.dumps({"browser": section}))
    paths = {issue.path for issue in report.warnings}
    assert {"browser.noSandbox", "browser.ssrfPolicy.allowPrivateNetwork"} <= paths
    assert any("browser.color" in issue.message for issue in report.warnings)
