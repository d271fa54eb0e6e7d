#!/usr/bin/env python
"""Django's command line."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs one management command. Ends with one line where there is no prepared home."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "openclaw_site.settings")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    try:
        execute_from_command_line(sys.argv)
    except (OperationalError, ProgrammingError) as error:
        if (text := _unprepared(str(error))) is None:
            raise
        sys.exit(text)


def _unprepared(problem: str) -> str | None:
    """What to do about a database error; None when it is not about a database to prepare."""
    if not any(words in problem for words in ("no such table", "does not exist")):
        return None
    home = os.environ.get("OPENCLAW_HOME", "var")
    return (
        f"The database of {home} is not prepared: start the gateway once (make up), "
        "or run manage.py migrate."
    )


if __name__ == "__main__":
    main()
