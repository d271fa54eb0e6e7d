"""Tools that this installation cannot serve at the moment, and why."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.utils.translation import gettext as _

from agents.core.registry import Registry

# Name of a tool → why it cannot be used, "" when it can. Asked where rows can be read, whenever the
# rules of tools are read anew; a tool that is not listed is always available.
AVAILABILITY: Registry[Callable[[], str]] = Registry("availability of a tool")
AVAILABILITY.register("web_fetch", "tools.web.availability:fetch_problem")
AVAILABILITY.register("web_search", "tools.web.availability:search_problem")
AVAILABILITY.register("image", "tools.media.availability:image_problem")
AVAILABILITY.register("image_generate", "tools.media.availability:image_generate_problem")
AVAILABILITY.register("video_generate", "tools.media.availability:video_generate_problem")
AVAILABILITY.register("tts", "tools.media.availability:tts_problem")
AVAILABILITY.register("browser", "tools.browser.availability:browser_problem")
for _name in ("tool_search", "tool_describe", "tool_call"):
    AVAILABILITY.register(_name, "tools.tool_search.settings:tool_search_problem")

log = structlog.get_logger(__name__)


def tools_unavailable() -> tuple[tuple[str, str], ...]:
    """The names of such tools, each with the reason. A check that fails counts as one."""
    found = ((name, _problem(name)) for name in AVAILABILITY.names())
    return tuple((name, problem) for name, problem in found if problem)


def _problem(name: str) -> str:
    try:
        return AVAILABILITY.get(name)()
    except Exception:
        log.exception("tool_availability_failed", tool=name)
        return _("whether it can be used could not be found out")
