"""/help and /status."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.core.model import ModelInfo
from sessions.command_actions.action import Asked
from sessions.commands import COMMANDS
from sessions.models import InboxItem, Run, Session
from sessions.options import SessionOptions, session_options
from sessions.receipts import effective_mode
from sessions.skill_commands import skill_list
from sessions.stops import everything_stopped


def help_text(asked: Asked) -> str:
    """Every command in one line each."""
    lines = [f"{kind.usage}: {kind.help}" for kind in COMMANDS]
    lines.append(
        _("Options at the beginning of a message hold for that message: /think high Why is …")
    )
    return "\n".join(lines)


def skills(asked: Asked) -> str:
    """The commands of the agent's skills."""
    return skill_list(agent=asked.session.agent_slug)


def status(asked: Asked) -> str:
    """Model, credential, thinking, context and queue of the session, and what runs."""
    session = asked.session
    options = session_options(session=session)
    lines = [
        _("Agent %(agent)s, session %(key)s.") % {"agent": session.agent_slug, "key": session.key},
        *_model_lines(session, options),
        _shown_line(options),
        *_queue_lines(session, asked),
    ]
    if everything_stopped():
        lines.append(_("Everything is stopped by the switch."))
    return "\n".join(lines)


def _model_lines(session: Session, options: SessionOptions) -> list[str]:
    model = options.model
    if model is None:
        return [options.problem]
    pinned = _(" (pinned)") if session.profile_pinned else ""
    values = {"model": model.ref, "credential": (options.credential or "-") + pinned}
    return [
        _("Model %(model)s, credential %(credential)s.") % values,
        _("Thinking %(level)s.") % {"level": options.used},
        _context_line(session, model),
    ]


def _context_line(session: Session, model: ModelInfo) -> str:
    used, window = session.context_tokens, model.context_window
    values = {"used": f"{used:,}", "window": f"{window:,}", "part": round(100 * used / window)}
    return _("Context %(used)s of %(window)s tokens (%(part)s %%).") % values


def _shown_line(options: SessionOptions) -> str:
    shown = options.showing
    values = {"verbose": shown.verbose, "reasoning": shown.reasoning, "trace": shown.trace}
    return _("Verbosity %(verbose)s, reasoning %(reasoning)s, trace %(trace)s.") % values


def _queue_lines(session: Session, asked: Asked) -> list[str]:
    running = Run.objects.filter(session=session).exclude(state=Run.State.ENDED).first()
    waiting = InboxItem.objects.filter(session=session, outcome="", run=None).count()
    mode = effective_mode(session=session, item_mode="", origin=asked.fields["origin"])
    return [
        _("Running since %(since)s.") % {"since": f"{running.started_at:%H:%M:%S} UTC"}
        if running
        else _("Nothing is running."),
        _("%(count)s message(s) waiting, queue mode %(mode)s.") % {"count": waiting, "mode": mode},
    ]
