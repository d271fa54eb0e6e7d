"""What many skills and many notes cost: the prompt's list, a search, one changed file."""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.measures import Effort
from tests.bench.stand import Stand

SKILLS_GOAL_MS = 50.0
SEARCH_GOAL_MS = 30.0
CHANGE_GOAL_MS = 200.0
_CALL = "from tests.bench.knowledge import report; report({count})"
_SKILLS = 1_000
_NOTES = 2_500
# Of four passages each, so ten thousand.
_PASSAGES = 4


async def knowledge(stand: Stand, effort: Effort) -> list[Figure]:
    """A thousand skills in the prompt, and ten thousand passages of notes to search in."""
    code = _CALL.format(count=effort.of(60, 10))
    found = json.loads(stand.gateway.manage("shell", "-v", "0", "-c", code).splitlines()[-1])
    listed = {"skills": _SKILLS, "listed": found["listed"], "first time": found["cold"]}
    held = {"passages": found["passages"], "first time": found["built"], "max": found["worst"]}
    return [
        Figure("list of 1,000 skills", found["skills"], "ms", SKILLS_GOAL_MS, notes=listed),
        Figure("search in notes, p50", found["search"], "ms", SEARCH_GOAL_MS, notes=held),
        Figure("search after one change", found["change"], "ms", CHANGE_GOAL_MS),
    ]


def report(count: int) -> None:
    """Writes the times in milliseconds as JSON; runs within the gateway's settings."""
    with tempfile.TemporaryDirectory(prefix="openclaw-bench-") as place:
        figures = {**_skills(Path(place)), **_notes(Path(place), count)}
    sys.stdout.write(json.dumps(figures) + "\n")


def _skills(place: Path) -> dict[str, float]:
    from agents.skills.prompt import Listed, skills_block
    from agents.skills.sources import Root, skills_found

    root = place / "skills"
    for number in range(_SKILLS):
        folder = root / f"skill-{number:04}"
        folder.mkdir(parents=True)
        about = f"Does the thing with number {number}, and tells whoever asked how that went."
        text = f"---\nname: {folder.name}\ndescription: {about}\n---\nDo it.\n"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")

    def build() -> str:
        found = skills_found(Root("bench", root, max_candidates=2_000, max_loaded=2_000))
        documents = ((one, one.document) for one in found)
        return skills_block(
            [Listed(one.name, said.description, str(one.file)) for one, said in documents if said]
        )

    cold = _milliseconds(build)
    warm = [_milliseconds(build) for _ in range(5)]
    return {
        "cold": cold,
        "skills": statistics.median(warm),
        "listed": build().count("<skill>"),
    }


def _notes(place: Path, count: int) -> dict[str, float]:
    from agents.core.principal import Principal
    from agents.memory.index import MemoryIndex
    from agents.memory.places import audiences_for
    from agents.memory.ranking import candidates, text_scored
    from agents.memory.words import keywords_of

    draw = random.Random(7)
    words = [f"{draw.choice('bcdfglmnprst')}{draw.choice('aeiou')}{n:x}" for n in range(4_000)]
    space = place / "space"
    (space / "memory").mkdir(parents=True)
    for number in range(_NOTES):
        lines = [" ".join(draw.choices(words, k=12)) for _ in range(18 * _PASSAGES)]
        (space / "memory" / f"note-{number}.md").write_text("\n".join(lines), encoding="utf-8")
    index = MemoryIndex(place / "index.sqlite", space)
    audiences = audiences_for(Principal("bench", is_owner=True))

    def search() -> None:
        index.sync()
        keywords = keywords_of(" ".join(draw.choices(words, k=6)))
        text_scored(index.find(keywords, audiences=audiences, limit=candidates(6)), keywords)

    built = _milliseconds(search)
    times = [_milliseconds(search) for _ in range(count)]
    (space / "memory" / "note-7.md").write_text("something else altogether", encoding="utf-8")
    change = _milliseconds(search)
    return {
        "built": built,
        "search": statistics.median(times),
        "worst": max(times),
        "change": change,
        "passages": index.size(),
    }


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000
