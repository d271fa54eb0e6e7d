"""How much of the prompt a run gets."""

from __future__ import annotations

import pytest

from agents.prompt.modes import prompt_files, prompt_mode


@pytest.mark.parametrize(
    ("key", "mode"),
    [
        ("agent:main:main", "full"),
        ("agent:main:web:01abc", "full"),
        ("agent:main:telegram:group:-1", "full"),
        ("agent:main:subagent:01abc", "minimal"),
        ("agent:main:subagent:01abc:subagent:02", "minimal"),
        ("agent:main:cron:daily:run:1", "minimal"),
        ("agent:cron:main", "full"),
        ("agent:subagent:main", "full"),
    ],
)
def test_it_works(key: str, mode: str) -> None:
    assert prompt_mode(key) == mode


def test_files_for_each() -> None:
    assert prompt_files("none", owner=True) == ()
    assert prompt_files("minimal", owner=True) == ("AGENTS.md", "TOOLS.md")
    assert "MEMORY.md" in prompt_files("full", owner=True)
    assert "MEMORY.md" not in prompt_files("full", owner=False)
    assert "SOUL.md" in prompt_files("full", owner=False)
