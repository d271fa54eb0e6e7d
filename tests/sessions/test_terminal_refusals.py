"""What `manage.py agent` cannot send: one clear line, or one object, and code 1."""

from __future__ import annotations

import json
from io import StringIO

import pytest
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
