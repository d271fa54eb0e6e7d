"""The page's pure scripts, in Node's own test runner."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent


def test_it_works() -> None:
    node = shutil.which("node")
    assert node, "install Node 18 or newer (Debian: nodejs)"

    files = sorted(str(file) for file in (HERE / "js").glob("*.test.mjs"))
    done = subprocess.run([node, "--test", *files], capture_output=True, text=True, check=False)

    assert files
    assert done.returncode == 0, done.stdout
