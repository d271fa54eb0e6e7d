"""Workers do not carry the admin around."""

from __future__ import annotations

import subprocess
import sys

from tests.platform.gateway import ROOT

UNWANTED = ("unfold.sites", "unfold.widgets", "sessions.admin", "rest_framework.views")
SCRIPT = """
import sys, django
django.setup()
import sessions.tasks, sessions.worker, sessions.engine
print([name for name in {unwanted!r} if name in sys.modules])
import openclaw_site.urls
from django.contrib import admin
print(len(admin.site._registry) > 20)
"""


def test_it_works() -> None:
    """They are loaded with the addresses of the site, and not before."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(unwanted=UNWANTED)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env=None,
    )
    assert done.stdout.splitlines()[-2:] == ["[]", "True"]
