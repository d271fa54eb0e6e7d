"""DATABASE_URL as Django's DATABASES entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote

from openclaw_site.environment import EnvironmentInvalid, env_text, env_url

# Seconds that a statement waits for another program's write before "database is locked".
SQLITE_TIMEOUT = 10
_SQLITE_PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"


def database_entry(home: Path) -> dict[str, Any]:
    """The default database: DATABASE_URL, or a SQLite file in `home`.

    Raises EnvironmentInvalid naming DATABASE_URL; never repeats the URL (it may hold a password).
    """
    text = env_text("DATABASE_URL")
    if not text:
        return _sqlite(home / "db.sqlite3")
    if text.startswith("sqlite:///"):
        return _sqlite(Path(unquote(text.removeprefix("sqlite:///"))).absolute())
    url = env_url("DATABASE_URL", ("postgres", "postgresql"))
    if url is None or not url.path.strip("/"):
        raise EnvironmentInvalid(
            "DATABASE_URL must name a database, like postgresql://user:password@host:5432/name"
        )
    return _postgres(url)


def _sqlite(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": "openclaw_site.db.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "timeout": SQLITE_TIMEOUT,
            "transaction_mode": "IMMEDIATE",
            "init_command": _SQLITE_PRAGMAS,
        },
    }


def _postgres(url: SplitResult) -> dict[str, Any]:
    options = dict(parse_qsl(url.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(url.path.strip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        # A socket folder may stand in the host's place (percent-encoded) or as ?host=.
        "HOST": options.pop("host", "") or unquote(url.hostname or ""),
        "PORT": options.pop("port", "") or str(url.port or ""),
        "CONN_MAX_AGE": 0,
        "OPTIONS": options,
    }
