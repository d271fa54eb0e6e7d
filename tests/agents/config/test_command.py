"""manage.py config, as a person runs it."""

from __future__ import annotations

import io
from pathlib import Path

import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.agents.config.conftest import EXAMPLES

pytestmark = pytest.mark.django_db


def run(*words: str) -> tuple[str, str, int]:
    """Standard output, standard error and the exit code."""
    out, error = io.StringIO(), io.StringIO()
    try:
        call_command("config", *words, stdout=out, stderr=error)
    except CommandError as failure:
        return out.getvalue(), f"{error.getvalue()}{failure}", failure.returncode
    return out.getvalue(), error.getvalue(), 0


def test_it_works() -> None:
    out, error, code = run("apply", str(EXAMPLES / "side_by_side.json"))
    assert out.startswith("Applied. The configuration before is kept as number ")
    assert error.startswith("Warning: kept, but without effect in this version: discovery")
    assert code == 0
    out, error, code = run("get")
    assert orjson.loads(out)["agents"]["defaults"]["maxConcurrent"] == 64
    assert (error, code) == ("", 0)


def test_one_place() -> None:
    run("apply", str(EXAMPLES / "side_by_side.json"))
    assert run("get", "models.providers.fake.models[0].contextWindow")[0] == "200000\n"
    assert run("get", "models.providers.fake.models.fake-1.name")[0] == '"Fake 1"\n'
    assert run("get", "models.provider") == (
        "",
        "models.provider is not set; did you mean providers?",
        1,
    )
    assert run("get", "a[b")[2] == 1


def test_a_document_with_errors(tmp_path: Path) -> None:
    path = tmp_path / "bad.json5"
    path.write_text("{\n sesion: {}}")
    for action in ("validate", "apply"):
        assert run(action, str(path)) == (
            "",
            "Error: line 2: sesion: unknown key; did you mean session?\n"
            "The document was not accepted.",
            1,
        )


def test_a_file_that_is_not_there() -> None:
    assert run("apply", "/nowhere/at.all") == (
        "",
        "/nowhere/at.all cannot be read: No such file or directory",
        2,
    )


def test_validating_writes_nothing() -> None:
    before = run("get")
    assert run("validate", str(EXAMPLES / "side_by_side.json"))[2] == 0
    assert run("get") == before


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(b"{messages: {queue: {cap: 3}}}")

    monkeypatch.setattr("sys.stdin", Input())
    assert run("apply", "-")[2] == 0
    assert run("get", "messages.queue.cap")[0] == "3\n"


def test_going_back() -> None:
    assert run("rollback")[1:] == ("There is no earlier configuration to go back to.", 1)
    run("apply", str(EXAMPLES / "side_by_side.json"))
    assert run("rollback")[0].startswith("Went back.")
    assert run("get", "models")[2] == 1
