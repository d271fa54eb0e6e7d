"""The environment that tests run in: nothing of the machine's own configuration leaks in."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

# What would change the behaviour under test: providers, keys, other databases and servers.
_FOREIGN_ENDINGS = ("_API_KEY", "_BASE_URL")
_FOREIGN_PREFIXES = ("ANTHROPIC_", "OPENAI_", "OLLAMA_", "OPENCLAW_", "AWS_")
# The test runner sets the settings module for itself; a gateway has its own.
_FOREIGN_NAMES = ("REDIS_URL", "DJANGO_SETTINGS_MODULE", "GH_TOKEN", "COPILOT_GITHUB_TOKEN")
# Variables that steer the test run itself and stay.
_KEPT = ("OPENCLAW_TEST_",)


def clean_environment() -> dict[str, str]:
    """The environment without anything that configures a gateway."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith(_KEPT)
        or not (
            name.startswith(_FOREIGN_PREFIXES)
            or name.endswith(_FOREIGN_ENDINGS)
            or name in _FOREIGN_NAMES
        )
    }


def environment_prepare() -> None:
    """Gives this process a home of its own, removed at its end, and unsets the rest.

    DATABASE_URL stays: it chooses the engine that the tests run on.
    """
    kept = clean_environment()
    for name in set(os.environ) - set(kept) - {"DJANGO_SETTINGS_MODULE"}:
        del os.environ[name]
    # Short, because a Unix socket's path must fit into it.
    home = tempfile.mkdtemp(prefix="oc-")
    os.environ["OPENCLAW_HOME"] = home
    atexit.register(shutil.rmtree, home, ignore_errors=True)
