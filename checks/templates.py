"""Compiles every template of our own, so that a misspelt tag is found before a person does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import django
from django.template import TemplateSyntaxError
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Prints one line for each template that does not compile; 1 when there are any."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "openclaw_site.settings")
    django.setup()
    faults = []
    paths = sorted(ROOT.glob("*/templates/**/*.*"))
    for path in paths:
        name = path.relative_to(ROOT).as_posix().partition("/templates/")[2]
        try:
            get_template(name)
        except TemplateSyntaxError as error:
            faults.append(f"{path.relative_to(ROOT)}: {error}")
    sys.stdout.write("\n".join([*faults, f"{len(paths)} templates compiled"]) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
