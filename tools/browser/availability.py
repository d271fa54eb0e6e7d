"""Whether there is a browser, and where it is."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

from django.utils.translation import gettext as _

from tools.browser.settings import BrowserDocument, browser_settings

# As the packages of the usual systems call it, the plain Chromium first.
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge")


def executable_find(settings: BrowserDocument) -> str:
    """The path of the browser's program, "" when there is none."""
    if settings.executable_path:
        return shutil.which(settings.executable_path) or ""
    return next((path for name in NAMES if (path := shutil.which(name))), "")


def browser_problem() -> str:
    """Why agents have no browser, "" when they have one."""
    return settings_problem(browser_settings())


def settings_problem(settings: BrowserDocument) -> str:
    """The same for these settings."""
    if not settings.enabled:
        return _("switched off (browser.enabled)")
    if find_spec("playwright") is None:
        return _("the Python package playwright is not installed (pip install playwright)")
    if not executable_find(settings):
        if settings.executable_path:
            return _("browser.executablePath names no program that can be run")
        return _("no Chromium was found on the PATH; install one or set browser.executablePath")
    if _is_root() and not settings.no_sandbox:
        return _("the worker runs as root, where Chromium needs browser.noSandbox")
    return ""


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
