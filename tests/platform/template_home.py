"""Homes whose tables exist already: migrating once saves seconds for every gateway of a test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg import sql

from openclaw_site.supervisor.migrations import fingerprint_make, stamp_write
from tests.platform.environment import clean_environment
from tests.platform.gateway import ROOT


def sqlite_home_fill(home: Path, cache: Path) -> None:
    """Gives `home` a migrated SQLite file, made once for each state of the migrations."""
    template = cache / f"{fingerprint_make()[:16]}.sqlite3"
    if not template.exists():
        with tempfile.TemporaryDirectory(prefix="oc-") as draft:
            _migrate({"OPENCLAW_HOME": draft})
            made = template.with_suffix(f".{os.getpid()}")
            shutil.copy(Path(draft) / "db.sqlite3", made)
            made.replace(template)
    shutil.copy(template, home / "db.sqlite3")
    stamp_write(home, fingerprint_make())


def postgres_database_make(url: str, *, empty: bool = False) -> str:
    """A new database on the server of `url`, migrated unless `empty`; returns its address."""
    base, _, _ = url.partition("?")[0].rpartition("/")
    query = url.partition("?")[2]

    def address(name: str) -> str:
        return f"{base}/{name}?{query}" if query else f"{base}/{name}"

    template = f"oc_template_{fingerprint_make()[:16]}_{os.getpid()}"
    with psycopg.connect(address("postgres"), autocommit=True) as server:
        known = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template])
        if known.fetchone() is None and not empty:
            server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(template)))
            _migrate({"DATABASE_URL": address(template)})
        name = f"oc_{uuid4().hex[:12]}"
        server.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier("template0" if empty else template)
            )
        )
    return address(name)


def _migrate(variables: dict[str, str]) -> None:
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--noinput", "--skip-checks", "-v", "0"],
        cwd=ROOT,
        env={**clean_environment(), **variables},
        check=True,
    )
