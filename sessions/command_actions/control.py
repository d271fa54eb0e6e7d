"""/stop, /new and /queue."""

from __future__ import annotations

from django.utils.translation import gettext as _

from sessions.command_actions.action import Asked
from sessions.options import INHERIT
from sessions.queueing import MODES, mode_named
from sessions.receipts import effective_mode
from sessions.services import session_reset
from sessions.stops import run_stop


def stop(asked: Asked) -> str:
    """Ends what runs and what waits."""
    reached = run_stop(principal=asked.principal, session_key=asked.session.key, kind="stop")
    if not reached:
        return _("Nothing is running.")
    return _("Stopped. %(count)s message(s) ended.") % {"count": len(reached)}


def new(asked: Asked) -> str:
    """Another transcript; the old one stays."""
    session_reset(principal=asked.principal, key=asked.session.key, reason="new")
    return _("A new conversation begins. The old one stays in the history.")


def queue(asked: Asked) -> str:
    """What happens to messages that come while a turn runs."""
    if not asked.rest:
        mode = effective_mode(session=asked.session, item_mode="", origin=asked.fields["origin"])
        return _("Queue mode: %(mode)s.") % {"mode": mode}
    if asked.rest in INHERIT:
        asked.patch(queueMode=None)
        return _("Queue mode is the configured one again.")
    chosen = mode_named(asked.rest)
    if chosen is None:
        return _("Unknown queue mode %(mode)s. Use one of: %(modes)s.") % {
            "mode": asked.rest,
            "modes": ", ".join(MODES),
        }
    asked.patch(queueMode=chosen)
    return _("Queue mode is now %(mode)s.") % {"mode": chosen}
