"""`manage.py background`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.core.tools import ToolContext
from tests.tools.background import again, in_background
from tools.background.control import job_kill
from tools.background.jobs import jobs_all


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Any) -> Iterator[None]:
    """A home of its own; what still runs at the end is ended."""
    settings.OPENCLAW = replace(settings.OPENCLAW, home=tmp_path / "home")
    yield
    for job in jobs_all():
        job_kill(job)


def command(*arguments: str) -> str:
    out = io.StringIO()
    call_command("background", *arguments, stdout=out)
    return out.getvalue().strip()


def test_it_works(context: ToolContext) -> None:
    assert command("list") == "No agent runs a command in the background."
    job = in_background(context, "sleep   60")
    words = command("list").split("  ")
    assert words[:3] == [job.name, "main", "running"]
    assert words[-2:] == [f"pid {job.state.pid}", "sleep 60"]
    assert command("kill", job.name) == f"{job.name} was killed."
    assert not again(job.name).running
    assert command("kill", job.name) == f"{job.name} had ended: killed."
    (row,) = json.loads(command("list", "--json"))
    assert (row["sessionId"], row["agent"], row["status"]) == (job.name, "main", "failed")


@pytest.mark.parametrize("name", ["no-such", "../etc", ""])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(CommandError, match="There is no command"):
        command("kill", name)
