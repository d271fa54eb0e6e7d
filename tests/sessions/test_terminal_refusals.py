"""What `manage.py agent` cannot send: one clear line, or one object, and code 1."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db(transaction=True)

REFUSED = [
    (["-m", "x", "--agent", "nobody"], "no agent nobody"),
    (["-m", " "], "message is empty"),
    (["-m", "x", "--agent", "main", "--session-key", "agent:other:main"], "--session-key"),
    (["-m", "x", "--session-key", "a b"], "blanks"),
]


def test_it_works() -> None:
    """The message is named in the error that the shell shows."""
    with pytest.raises(CommandError, match="message is empty"):
        call_command("agent", "-m", "")


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_refusal_is_one_line(arguments: list[str], words: str) -> None:
    """Text for people; nothing on standard output."""
    out = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("agent", *arguments, stdout=out)
    assert words in str(refused.value)
    assert out.getvalue() == ""


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_refusal_is_one_object(arguments: list[str], words: str) -> None:
    """JSON for programs, with the same words."""
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("agent", *arguments, "--json", stdout=out)
    assert ended.value.code == 1
    assert words in json.loads(out.getvalue())["error"]["message"]


@pytest.mark.parametrize("command", ["sessions", "signin_link"])
def test_a_home_that_was_never_started_is_one_line(tmp_path: Path, command: str) -> None:
    """What to start first, instead of the database's own words."""
    environment = {**os.environ, "OPENCLAW_HOME": str(tmp_path)}
    environment.pop("DATABASE_URL", None)
    environment["DJANGO_SETTINGS_MODULE"] = "openclaw_site.settings"
    ended = subprocess.run(
        [sys.executable, "manage.py", command],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "start the gateway once" in ended.stderr
