"""`python -m tests.bench [--only turn,load] [--quick]`: measures, prints, writes JSON lines.

DATABASE_URL in the environment chooses PostgreSQL: an empty database that is filled with tables.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure, table
from tests.bench.measures import Effort
from tests.bench.order import MEASURES
from tests.bench.processes import Neighbours
from tests.bench.stand import stand_make


def options_read() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--only", default="", help=f"names separated by commas: {', '.join(MEASURES)}"
    )
    parser.add_argument("--quick", action="store_true", help="fewer turns: a look, not a record")
    parser.add_argument("--output", type=Path, help="the file of JSON lines")
    options = parser.parse_args()
    options.only = [name for name in options.only.split(",") if name] or list(MEASURES)
    if unknown := [name for name in options.only if name not in MEASURES]:
        parser.error(f"--only: there is no {unknown[0]}; there are {', '.join(MEASURES)}")
    return options


def machine() -> dict[str, Any]:
    """What a reader must know to compare two records."""
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "database": os.environ.get("DATABASE_URL", "sqlite").partition(":")[0],
    }


async def measure_all(names: list[str], effort: Effort) -> tuple[list[Figure], list[str]]:
    """Figures of all measures in the order of MEASURES, and what failed."""
    figures: list[Figure] = []
    failed: list[str] = []
    with stand_make(record=100) as stand:
        for name in (name for name in MEASURES if name in names):
            sys.stderr.write(f"measuring {name} ...\n")
            others = Neighbours()
            try:
                found = await MEASURES[name](stand, effort)
            except Exception as error:  # noqa: BLE001 - the other figures are still wanted
                failed.append(f"{name}: {type(error).__name__}: {error}")
                continue
            found[0].notes["others' cores"] = others.cores()
            figures += found
    return figures, failed


def record_write(path: Path, figures: list[Figure]) -> None:
    """One line about the machine, then one for each figure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"machine": machine()}, *(figure.as_json() for figure in figures)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def main() -> int:
    """0 when every measure ran, whatever came out; 1 when one failed."""
    options = options_read()
    figures, failed = asyncio.run(measure_all(options.only, Effort(options.quick)))
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = options.output or Path(tempfile.gettempdir()) / "openclaw-bench" / f"{stamp}.jsonl"
    record_write(path, figures)
    sys.stdout.write("\n".join([*table(figures), "", f"written to {path}", *failed]) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
