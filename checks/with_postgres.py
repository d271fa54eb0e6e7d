"""`python -m checks.with_postgres COMMAND...`: runs a command beside a private PostgreSQL server.

The server lives in a temporary folder, listens on a Unix socket only and is gone afterwards.
DATABASE_URL of the command names it. Without PostgreSQL on the machine the command is skipped,
but fails when CI=true: there every engine must be present.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

_DEBIAN = Path("/usr/lib/postgresql")
# The server refuses to run as root; Debian's package brings this user.
_SERVER_USER = "postgres"
# Tests want speed and no durability: the data is thrown away.
_OPTIONS = "-c fsync=off -c full_page_writes=off -c max_connections=200 -c listen_addresses=''"


def binaries_find() -> Path | None:
    """The newest folder with `initdb` and `pg_ctl`, None when PostgreSQL is not installed."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    installed = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return installed[-1].parent if installed else None


@contextmanager
def server_run(binaries: Path) -> Iterator[str]:
    """Runs a server; yields the address of its database `openclaw`."""
    user = _SERVER_USER if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    with tempfile.TemporaryDirectory(prefix="oc-pg-") as name:
        folder = Path(name)
        shutil.chown(folder, user)
        folder.chmod(0o755)
        data = folder / "data"

        def run(program: str, *arguments: str) -> None:
            command = [str(binaries / program), *arguments]
            subprocess.run(
                command,
                check=True,
                user=user,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                env=_english(),
            )

        run("initdb", "-D", str(data), "-A", "trust", "-E", "UTF8", "--no-sync", "-U", "openclaw")
        options = f"{_OPTIONS} -k {folder}"
        run("pg_ctl", "-D", str(data), "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            run("createdb", "-h", str(folder), "-U", "openclaw", "openclaw")
            yield f"postgresql://openclaw@{quote(name, safe='')}/openclaw"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")


def _english() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def main(command: list[str]) -> int:
    """The command's exit code."""
    binaries = binaries_find()
    if binaries is None:
        needed = os.environ.get("CI") == "true"
        sys.stderr.write("PostgreSQL is not installed; its tests were not run\n")
        return 1 if needed else 0
    with server_run(binaries) as url:
        return subprocess.run(
            command, check=False, env={**os.environ, "DATABASE_URL": url}
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
