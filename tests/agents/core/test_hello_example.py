"""The example runs as it stands: on its own, without a framework, a key or a network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "hello_agent.py"
RUN_AND_LIST_MODULES = (
    "import runpy, sys; runpy.run_path(sys.argv[1]); sys.stderr.write(' '.join(sys.modules))"
)


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs Python with an empty environment in another folder."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def test_it_works(tmp_path: Path) -> None:
    shown = run(str(EXAMPLE), cwd=tmp_path).stdout

    assert "[read rehearsal.txt]" in shown
    assert "Hello from a tool!" in shown.partition("[read rehearsal.txt]")[2]


def test_it_needs_no_framework(tmp_path: Path) -> None:
    loaded = set(run("-c", RUN_AND_LIST_MODULES, str(EXAMPLE), cwd=tmp_path).stderr.split())

    assert "agents.core.loop" in loaded
    assert not loaded & {"django", "redis", "celery", "channels", "openai", "anthropic"}


def test_it_fits_on_one_screen() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 40
