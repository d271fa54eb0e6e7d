"""Writes the pinned requirements: what the `.in` files ask for and all that this brings along.

Versions are those installed now, so an upgrade is: install, run the tests, `make pins`.
"""

from __future__ import annotations

import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
_HEAD = "# Made by `make pins`; edit {source} instead.\n"


def closure(requirements: list[Requirement]) -> dict[str, str]:
    """Name → version of the requirements and everything they need on this platform."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(wanted, extra) for wanted in requirements for extra in ("", *wanted.extras)]
    while waiting:
        wanted, extra = waiting.pop()
        name = canonicalize_name(wanted.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        installed = distribution(wanted.name)
        found[name] = installed.version
        for text in installed.requires or []:
            inner = Requirement(text)
            if inner.marker is None or inner.marker.evaluate({"extra": extra}):
                waiting += [(inner, more) for more in ("", *inner.extras)]
    return found


def read_in(name: str) -> list[Requirement]:
    """The requirements of a `.in` file, comments left out."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    return [Requirement(line) for line in lines if line]


def main() -> int:
    """Writes both files."""
    runtime = closure(read_in("requirements.in"))
    develop = closure(read_in("requirements-dev.in"))
    _write("requirements", runtime, "")
    extra = {name: version for name, version in develop.items() if name not in runtime}
    _write("requirements-dev", extra, "-r requirements.txt\n")
    return 0


def _write(stem: str, pins: dict[str, str], first: str) -> None:
    lines = "".join(f"{name}=={version}\n" for name, version in sorted(pins.items()))
    (ROOT / f"{stem}.txt").write_text(_HEAD.format(source=f"{stem}.in") + first + lines)


if __name__ == "__main__":
    sys.exit(main())
