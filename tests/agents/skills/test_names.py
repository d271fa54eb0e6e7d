"""Slash commands made of the names of skills."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from agents.skills.names import MAX_COMMAND, command_names


def test_it_works() -> None:
    found = command_names(["my-notes", "my_notes", "help", "x" * 40], taken={"help"})
    assert found == {
        "my_notes": "my-notes",
        "my_notes_2": "my_notes",
        "help_2": "help",
        "x" * 32: "x" * 40,
    }


@given(st.lists(st.text(max_size=50), max_size=30, unique=True), st.sets(st.text(max_size=5)))
def test_every_skill_has_a_command_of_its_own(skills: list[str], taken: set[str]) -> None:
    found = command_names(skills, taken=taken)
    assert list(found.values()) == skills
    assert not set(found) & taken
    for name in found:
        assert re.fullmatch(r"[a-z0-9_]{1,32}", name)
        assert len(name) <= MAX_COMMAND
