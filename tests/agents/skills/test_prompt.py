"""The list of skills within its limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.skills.prompt import Listed, skills_block

ONE = Listed("notes", "Keeps <notes> & more.", "/home/ada/skills/notes/SKILL.md")


def test_it_works() -> None:
    block = skills_block([ONE], home="/home/ada")
    assert block == (
        "<available_skills>\n<skill><name>notes</name>"
        "<description>Keeps &lt;notes&gt; &amp; more.</description>"
        "<location>~/skills/notes/SKILL.md</location></skill>\n</available_skills>"
    )
    assert skills_block([]) == ""


def test_a_home_is_only_shortened_as_a_folder() -> None:
    assert "/home/adam/x" in skills_block([Listed("x", "d", "/home/adam/x")], home="/home/ada")


def test_first_the_descriptions_go() -> None:
    many = [Listed(f"s{n}", "wordy " * 20, f"/s/{n}") for n in range(20)]
    block = skills_block(many, max_characters=2_000)
    assert "s19" in block
    assert "wordy" not in block
    assert "left out because they would be too long" in block


@given(
    count=st.integers(0, 60),
    length=st.integers(1, 200),
    max_skills=st.integers(0, 70),
    room=st.integers(0, 8_000),
)
def test_the_largest_prefix(count: int, length: int, max_skills: int, room: int) -> None:
    skills = [Listed(f"s{n:03}", "d" * length, f"/skills/s{n:03}/SKILL.md") for n in range(count)]

    def block(most: int) -> str:
        return skills_block(skills, max_skills=most, max_characters=room)

    found = block(max_skills)
    assert len(found) <= room
    shown = found.count("<skill>")
    assert shown <= min(count, max_skills)
    assert [f"s{n:03}" in found for n in range(count)] == [n < shown for n in range(count)]
    # One more would have been too long, even without descriptions.
    if shown < min(count, max_skills):
        assert block(shown + 1).count("<skill>") == shown
    if shown and shown < count:
        assert f"{count - shown} of {count} skills are not listed" in found
