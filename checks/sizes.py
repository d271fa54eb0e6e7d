"""Holds files to 400 lines and functions to 60, and prints the medians.

Own Python and JavaScript only: not migrations, vendored files, data tables or fixtures.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from checks.javascript import functions_of

ROOT = Path(__file__).resolve().parent.parent
FILE_LIMIT = 400
FUNCTION_LIMIT = 60
# Parts of paths whose files are exempt.
EXEMPT = ("/migrations/", "/vendor/", "/data/", "/fixtures/")
# A checkout may belong to somebody else than who checks it, root in a container for one.
_GIT = ("git", "-c", "safe.directory=*")
FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Measured:
    """One file: its lines, and (line, name, lines) of each function."""

    path: str
    lines: int
    functions: tuple[tuple[int, str, int], ...]


def own_files() -> Iterator[Path]:
    """The Python and JavaScript files that Git knows or would add, without the exempt ones."""
    listed = subprocess.run(
        [*_GIT, "ls-files", "--cached", "--others", "--exclude-standard", "*.py", "*.js"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in sorted(set(listed.stdout.splitlines())):
        path = ROOT / name
        if path.is_file() and not any(part in f"/{name}" for part in EXEMPT):
            yield path


def measure(path: Path) -> Measured:
    """Counts one file."""
    text = path.read_text(encoding="utf-8")
    functions = functions_of(text) if path.suffix == ".js" else _python_functions(text)
    name = path.relative_to(ROOT).as_posix()
    return Measured(name, len(text.splitlines()), tuple(functions))


def _python_functions(text: str) -> Iterator[tuple[int, str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, FunctionNode):
            yield node.lineno, node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def faults(files: list[Measured]) -> list[str]:
    """One line for each file or function over its limit."""
    found = [f"{f.path}: {f.lines} lines" for f in files if f.lines > FILE_LIMIT]
    return found + [
        f"{file.path}:{line}: {name} has {length} lines"
        for file in files
        for line, name, length in file.functions
        if length > FUNCTION_LIMIT
    ]


def table(files: list[Measured]) -> list[str]:
    """Medians and maxima for each top folder and kind of file."""
    groups: dict[str, list[Measured]] = {}
    for file in files:
        if file.lines:
            top = file.path.split("/")[0] if "/" in file.path else "."
            groups.setdefault(f"{top} {Path(file.path).suffix[1:]}", []).append(file)
    columns = f"{'files':>6}{'lines':>8}{'median':>8}{'max':>6}"
    head = f"{'':24}{columns}{'functions':>11}{'median':>8}{'max':>6}"
    return [
        head,
        *(_row(name, group) for name, group in sorted(groups.items())),
        _row("all", files),
    ]


def _row(name: str, files: list[Measured]) -> str:
    lines = [file.lines for file in files if file.lines]
    lengths = [length for file in files for _, _, length in file.functions] or [0]
    count = sum(len(file.functions) for file in files)
    return (
        f"{name:24}{len(lines):>6}{sum(lines):>8}{median(lines):>8g}{max(lines):>6}"
        f"{count:>11}{median(lengths):>8g}{max(lengths):>6}"
    )


def main() -> int:
    """Prints the table and the faults; 1 when there are any."""
    files = [measure(path) for path in own_files()]
    found = faults(files)
    sys.stdout.write("\n".join([*table(files), *found]) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
