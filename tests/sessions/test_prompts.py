"""What people are shown of the system prompt."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import orjson
import pytest
from django.core.management import CommandError, call_command

from agents.config.services import config_apply
from sessions.command_actions.action import Asked
from sessions.command_actions.context import context
from sessions.models import Session
from sessions.people import owner_ensure
from sessions.prompts import prompt_shown
from sessions.receipts import principal_to_json

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _workspace(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Feed the cat.")
    text = (
        f"{{agents: {{list: [{{id: 'main', workspace: '{tmp_path}', systemPrompt: 'Rhyme.'}}]}}}}"
    )
    config_apply(text=text.encode())


def test_it_works() -> None:
    shown = prompt_shown(principal=owner_ensure().principal())
    assert "Feed the cat." in shown.text
    assert "Rhyme." in shown.text
    assert shown.mode == "full"
    assert [file.name for file in shown.files] == ["AGENTS.md"]
    assert "exec" in dict(shown.tools)
    assert sum(shown.share(one.tokens) for one in shown.parts) < 100


def test_a_child_gets_less() -> None:
    owner = owner_ensure().principal()
    child = prompt_shown(principal=owner, session="agent:main:subagent:01")
    assert child.mode == "minimal"
    assert "## Skills" not in child.text
    assert child.tokens < prompt_shown(principal=owner).tokens


def test_in_a_sandbox(tmp_path: Path) -> None:
    owner = owner_ensure().principal()
    assert "## Sandbox" not in prompt_shown(principal=owner).text
    main = f"{{id: 'main', workspace: '{tmp_path}', sandbox: {{mode: 'all'}}}}"
    config_apply(text=f"{{agents: {{list: [{main}]}}}}")
    shown = prompt_shown(principal=owner)
    assert "## Sandbox" in shown.text
    assert "gateway" not in dict(shown.tools)


def test_the_command() -> None:
    out = StringIO()
    call_command("prompt", "show", "main", stdout=out)
    assert "Feed the cat." in out.getvalue()
    assert "tokens before the first message (full prompt)" in out.getvalue()
    sizes = StringIO()
    call_command("prompt", "show", "--sizes", stdout=sizes)
    assert "Feed the cat." not in sizes.getvalue()
    assert "File AGENTS.md: 13 characters" in sizes.getvalue()
    found = StringIO()
    call_command("prompt", "show", "--json", stdout=found)
    assert orjson.loads(found.getvalue())["agent"] == "main"
    with pytest.raises(CommandError, match="nobody"):
        call_command("prompt", "show", "nobody")


def test_in_a_conversation() -> None:
    owner = owner_ensure()
    session = Session.objects.create(key="agent:main:main", agent_slug="main", owner=owner)

    def answer(rest: str) -> str:
        return context(Asked(session, rest, {"principal": principal_to_json(owner.principal())}))

    assert "Schemas of" in answer("")
    assert "Tool exec" not in answer("list")
    assert "Tool exec" in answer("detail")
    assert '"mode": "full"' in answer("json")
    assert "Feed the cat." not in answer("json")
    assert answer("x") == "Choices: list, detail, json."
