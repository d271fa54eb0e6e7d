"""Log lines: JSON for programs, secrets removed, ours and the libraries' alike."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import structlog
from django.conf import settings

from openclaw_site.logs import FILE_NAME, logging_apply, logging_dictionary
from openclaw_site.supervisor.console import ROTATE_AT, Console


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Logs of this test alone."""
    (tmp_path / "logs").mkdir()
    logging_apply(logging_dictionary(tmp_path, debug=False))
    yield tmp_path
    logging_apply(settings.LOGGING)


def _lines(home: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (home / "logs" / FILE_NAME).read_bytes().splitlines()]


def test_it_works(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One record in the file as JSON and on standard error in words."""
    structlog.get_logger("tests.one").info("turn_done", run="r1", seconds=0.5)
    (line,) = _lines(home)
    assert (line["event"], line["run"], line["level"]) == ("turn_done", "r1", "info")
    assert line["logger"] == "tests.one"
    assert line["timestamp"].endswith("Z")


def test_library_records_look_the_same(home: Path) -> None:
    """Through the standard library, with a traceback."""
    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("library").exception("failed with %s", 7)
    (line,) = _lines(home)
    assert line["event"] == "failed with 7"
    assert "ValueError: broken" in line["exception"]


def test_secrets_are_removed(home: Path) -> None:
    """By name and by shape, in values and in texts, also in tracebacks."""
    secret = "sk-" + "a1B2" * 8
    log = structlog.get_logger("tests.one")
    log.warning("call", api_key="hunter2hunter2", headers={"Authorization": "Bearer abcdefgh1234"})
    log.warning(f"sent {secret}", nested=[{"password": "pw-pw-pw"}])
    try:
        raise ValueError(f"no access with {secret}")
    except ValueError:
        log.exception("failed")
    text = (home / "logs" / FILE_NAME).read_text()
    for kept in (secret, "hunter2", "abcdefgh1234", "pw-pw-pw"):
        assert kept not in text
    assert len(_lines(home)) == 3


def test_context_is_in_every_line(home: Path) -> None:
    """Whoever binds a run id has it in the lines of what is called."""
    with structlog.contextvars.bound_contextvars(run="r2"):
        structlog.get_logger("tests.one").info("deep")
    assert _lines(home)[0]["run"] == "r2"


def test_long_files_are_set_aside(home: Path) -> None:
    """The supervisor moves a long file; the writer goes on in a new one."""
    structlog.get_logger("tests.one").info("before")
    path = home / "logs" / FILE_NAME
    with path.open("ab") as file:
        file.truncate(ROTATE_AT + 1)
    console = Console(home / "logs")
    console.files_rotate()
    structlog.get_logger("tests.one").info("after")
    assert [line["event"] for line in _lines(home)] == ["after"]
    assert path.with_name(f"{FILE_NAME}.1").stat().st_size > ROTATE_AT
    console.close()
