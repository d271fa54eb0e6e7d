"""The skills that an agent has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.config.services import config_apply
from agents.selectors import AgentSnapshot, agent_snapshot
from agents.skills.catalog import SkillSet, skills_forget, skills_of, skills_prompt
from tests.agents.skills.test_sources import skill

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No skills of whoever runs the tests, and nothing remembered."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    skills_forget()
    yield
    skills_forget()


def agent(tmp_path: Path, more: str = "", skills: str = "{}") -> AgentSnapshot:
    """The agent main in a workspace of its own, by a configuration."""
    space = tmp_path / "space"
    space.mkdir(exist_ok=True)
    text = f"{{agents: {{list: [{{id: 'main', workspace: '{space}', {more}}}]}}, skills: {skills}}}"
    config_apply(text=text.encode())
    skills_forget()
    return agent_snapshot(slug="main")


def reasons(found: SkillSet) -> dict[str, str]:
    """Name → reason."""
    return {one.name: one.reason for one in found.refused}


def test_it_works(tmp_path: Path) -> None:
    main = agent(tmp_path)
    skill(main.workspace / "skills", "own", "What is mine.")
    skills_forget()
    found = skills_of(main)
    assert [one.name for one in found.skills if one.source == "workspace"] == ["own"]
    assert {"own", "tidy-notes", "write-a-skill"} <= {one.name for one in found.skills}
    assert found.refused == ()
    assert "<description>What is mine.</description>" in skills_prompt(main)


def test_the_stronger_place_wins(tmp_path: Path) -> None:
    main = agent(tmp_path, skills=f"{{load: {{extraDirs: ['{tmp_path}/extra']}}}}")
    places = [
        tmp_path / "extra",
        tmp_path / "home" / ".agents" / "skills",
        main.workspace / ".agents" / "skills",
        main.workspace / "skills",
    ]
    for number, place in enumerate(places):
        skill(place, "tidy-notes", f"number {number}")
        skills_forget()
        found = skills_of(main).find("tidy-notes")
        assert found is not None
        # The extra folder is weaker than what the product brings, all others are stronger.
        assert (found.document.description == f"number {number}") == (number > 0)
    refused = [one for one in skills_of(main).refused if one.name == "tidy-notes"]
    assert len(refused) == 4
    assert all("goes first" in one.reason for one in refused)


def test_the_agents_list(tmp_path: Path) -> None:
    main = agent(tmp_path, "skills: ['own']")
    skill(main.workspace / "skills", "own")
    skills_forget()
    found = skills_of(main)
    assert [one.name for one in found.skills] == ["own"]
    assert "the agent's list of skills" in reasons(found)["tidy-notes"]
    assert skills_of(agent(tmp_path, "skills: []")).skills == ()
    assert skills_prompt(agent(tmp_path, "skills: []")) == ""


def test_settings_switch_skills_off(tmp_path: Path) -> None:
    main = agent(
        tmp_path,
        skills="{allowBundled: ['tidy-notes'], entries: {'tidy-notes': {enabled: false}}}",
    )
    found = reasons(skills_of(main))
    assert found["tidy-notes"] == "skills.entries.tidy-notes.enabled is false"
    assert found["write-a-skill"] == "skills.allowBundled does not name it"


def test_what_a_skill_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKILL_KEY", raising=False)
    needs = '{openclaw: {requires: {env: [SKILL_KEY], config: ["tools.exec.applyPatch.enabled"]}}}'
    main = agent(tmp_path)
    place = skill(main.workspace / "skills", "own")
    (place / "SKILL.md").write_text(f"---\nname: own\ndescription: d\nmetadata: {needs}\n---\n")
    skills_forget()
    assert reasons(skills_of(main))["own"] == "needs the variable SKILL_KEY"
    given = agent(tmp_path, skills="{entries: {own: {env: {SKILL_KEY: 'k'}}}}")
    found = skills_of(given).find("own")
    assert found is not None
    assert found.environment == {"SKILL_KEY": "k"}
    assert "'k'" not in repr(found)


def test_broken_ones_are_listed(tmp_path: Path) -> None:
    main = agent(tmp_path)
    place = main.workspace / "skills" / "broken"
    place.mkdir(parents=True)
    (place / "SKILL.md").write_bytes(b"\xff\xfe\x00")
    skills_forget()
    assert "broken" in reasons(skills_of(main))


def test_the_prompt_keeps_to_its_limits(tmp_path: Path) -> None:
    main = agent(tmp_path, skills="{limits: {maxSkillsInPrompt: 2, maxSkillsPromptChars: 900}}")
    for number in range(5):
        skill(main.workspace / "skills", f"a{number}", "A rather long description. " * 5)
    skills_forget()
    block = skills_prompt(main)
    assert len(block) <= 900
    assert block.count("<skill>") == 2
