"""Named places where a test may kill the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.platform.gateway import ROOT

PROGRAM = """
from sessions.failpoints import failpoint
for number in range(200):
    failpoint("claimed")
    failpoint("other")
    print(number, flush=True)
"""


def run(home: Path, points: str, seed: str = "7") -> tuple[int, int, str]:
    """Exit code, rounds that were survived, last words."""
    variables = {"OPENCLAW_HOME": str(home), "OPENCLAW_FAILPOINTS": points}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, **variables, "OPENCLAW_FAILPOINT_SEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, len(done.stdout.splitlines()), done.stderr


def test_it_works(tmp_path: Path) -> None:
    """Killed at the named point, with its name as the last words."""
    assert run(tmp_path, "claimed") == (-9, 0, "failpoint claimed\n")


def test_not_armed(tmp_path: Path) -> None:
    """Other points, or none: nothing happens, and nothing is written."""
    assert run(tmp_path, "") == (0, 200, "")
    assert run(tmp_path, "nowhere=1") == (0, 200, "")


def test_a_seed_repeats_itself(tmp_path: Path) -> None:
    """The same starts die at the same places; each start has a place of its own."""
    found = []
    for name in ("a", "b"):
        home = tmp_path / name
        home.mkdir()
        found.append([run(home, "other=0.05")[1] for _ in range(5)])
    assert found[0] == found[1]
    assert len(set(found[0])) > 1
