"""Whether the tables are those of this checkout, known without loading Django."""

from __future__ import annotations

import hashlib
from pathlib import Path

from openclaw_site.databases import database_entry
from openclaw_site.environment import env_text
from openclaw_site.supervisor.child import ROOT

_STAMP = "migrated"


def fingerprint_make() -> str:
    """A hash over all migration files, the pinned packages and the database's address."""
    digest = hashlib.sha256()
    digest.update(env_text("DATABASE_URL").encode())
    files = [ROOT / "requirements.txt", *sorted(ROOT.glob("*/migrations/*.py"))]
    for file in files:
        if file.is_file():
            digest.update(file.relative_to(ROOT).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def is_current(home: Path, fingerprint: str) -> bool:
    """Whether the last successful migration was made from the same files on this database."""
    entry = database_entry(home)
    if entry["ENGINE"].endswith("sqlite3") and not Path(entry["NAME"]).is_file():
        return False
    stamp = home / _STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == fingerprint


def stamp_write(home: Path, fingerprint: str) -> None:
    """Remembers a successful migration."""
    (home / _STAMP).write_text(fingerprint, encoding="utf-8")
