"""/think, /verbose, /reasoning and /trace: levels that a session keeps."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.core.messages import ThinkingLevel
from agents.providers.thinking_levels import thinking_fitted, thinking_named
from sessions.command_actions.action import Action, Asked, choices_line
from sessions.options import INHERIT, SessionOptions, session_options
from sessions.showing import LEVELS

NAMES = {
    "verbose": gettext_lazy("Verbosity"),
    "reasoning": gettext_lazy("Reasoning"),
    "trace": gettext_lazy("Trace"),
}
DEFAULT = "default"


def think(asked: Asked) -> str:
    """Shows or sets the thinking level; what the model cannot do is lowered or refused."""
    options = session_options(session=asked.session)
    if not asked.rest:
        return f"{_thinking_now(options)} {choices_line((*options.levels, DEFAULT))}"
    if asked.rest.lower() in INHERIT:
        session = asked.patch(thinkingLevel=None)
        return _thinking_now(session_options(session=session))
    level = thinking_named(asked.rest)
    if level is None:
        said = _("Unknown thinking level %(level)s.") % {"level": asked.rest[:60]}
        return f"{said} {choices_line((*options.levels, DEFAULT))}"
    return _think_set(asked, options, level)


def _think_set(asked: Asked, options: SessionOptions, level: ThinkingLevel) -> str:
    model = options.model
    if model is None:
        asked.patch(thinkingLevel=level)
        return _("Thinking is now %(level)s.") % {"level": level}
    values = {"level": level, "model": model.ref}
    fitted = thinking_fitted(level, model)
    if level != "off" and options.levels == ("off",):
        return _("%(model)s cannot think; nothing was changed.") % values
    asked.patch(thinkingLevel=fitted)
    if fitted == level:
        return _("Thinking is now %(level)s.") % values
    said = _("%(model)s cannot do %(level)s. Thinking is now %(fitted)s.")
    return said % {**values, "fitted": fitted}


def _thinking_now(options: SessionOptions) -> str:
    if options.used == options.thinking or options.model is None:
        return _("Thinking: %(level)s.") % {"level": options.used}
    return _("Thinking: %(level)s, because %(model)s cannot do %(wanted)s.") % {
        "level": options.used,
        "wanted": options.thinking,
        "model": options.model.ref,
    }


def level_action(name: str) -> Action:
    """The action of a level that only says what is shown."""

    def act(asked: Asked) -> str:
        choices = (*LEVELS[name], DEFAULT)
        plain = asked.rest.lower()
        session = asked.session
        if plain and plain not in (*LEVELS[name], *INHERIT):
            said = _("%(name)s has no level %(level)s.")
            values = {"name": NAMES[name], "level": asked.rest[:60]}
            return f"{said % values} {choices_line(choices)}"
        if plain:
            level = None if plain in INHERIT else plain
            session = asked.patch(**{f"{name}Level": level})
        now = getattr(session_options(session=session).showing, name)
        values = {"name": NAMES[name], "level": now}
        if plain:
            return _("%(name)s is now %(level)s.") % values
        return _("%(name)s: %(level)s.") % values + f" {choices_line(choices)}"

    return act
