"""Settings of the tests: an own home in the temporary folder and no providers in sight."""

from __future__ import annotations

from tests.platform.environment import environment_prepare

environment_prepare()

from openclaw_site.settings import *  # noqa: E402, F403
from openclaw_site.settings import DATABASES, OPENCLAW  # noqa: E402

# Other processes and threads must see what a test wrote, so the test database is a file.
if DATABASES["default"]["ENGINE"] == "openclaw_site.db.sqlite3":
    DATABASES["default"]["TEST"] = {"NAME": str(OPENCLAW.home / "test.sqlite3")}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
