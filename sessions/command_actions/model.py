"""/model: which model answers in a session, and with which credential."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.catalog.listing import models_list
from agents.catalog.resolve import catalog
from agents.core.errors import UserError
from agents.core.model import ModelInfo
from agents.credentials.selectors import credentials_for
from sessions.command_actions.action import Asked, choices_line
from sessions.commands import MODEL_WORDS
from sessions.options import INHERIT, session_options

# A longer list would not be read in a chat; the rest is on the page.
LISTED = 40


def model(asked: Asked) -> str:
    """Shows, lists or sets the model. Names that are not known are refused with the nearest."""
    word = asked.rest.lower()
    if not word:
        return f"{_now(asked)} {choices_line(('provider/model[@credential]', *MODEL_WORDS))}"
    if word == "list":
        return _list()
    if word == "status":
        return _status(asked)
    if word in INHERIT:
        asked = Asked(asked.patch(model=None), asked.rest, asked.fields)
        return _now(asked)
    try:
        session = asked.patch(model=_numbered(asked.rest))
    except UserError as error:
        return _("%(problem)s The model stays as it is.") % {"problem": error.message}
    return _now(Asked(session, asked.rest, asked.fields))


def _numbered(word: str) -> str:
    """The model of a number of the list, else the word itself."""
    if not word.isdecimal():
        return word
    models = models_list()
    place = int(word) - 1 if len(word) < 6 else -1
    if 0 <= place < len(models):
        return models[place].ref
    said = _("There is no model number %(number)s; /model list shows them.")
    raise UserError(said % {"number": word[:20]})


def _now(asked: Asked) -> str:
    options = session_options(session=asked.session)
    if options.model is None:
        return options.problem
    values = {"model": options.model.ref, "credential": asked.session.profile}
    if asked.session.profile_pinned:
        said = _("Model: %(model)s, with the pinned credential %(credential)s.") % values
        if options.credential in ("", asked.session.profile):
            return said
        instead = _("It cannot be used now; %(other)s is used in its place.")
        return f"{said} {instead % {'other': options.credential}}"
    if asked.session.model:
        return _("Model: %(model)s, chosen for this session.") % values
    return _("Model: %(model)s, the agent's own.") % values


def _list() -> str:
    models = models_list()
    aliases = {ref: alias for alias, ref in catalog().aliases.items()}
    lines = [
        f"{number}. {_named(one, aliases)}" for number, one in enumerate(models[:LISTED], start=1)
    ]
    if len(models) > LISTED:
        lines.append(_("and %(count)s more") % {"count": len(models) - LISTED})
    return "\n".join(lines)


def _named(one: ModelInfo, aliases: dict[str, str]) -> str:
    alias = aliases.get(one.ref)
    return f"{one.ref} ({alias})" if alias else one.ref


def _status(asked: Asked) -> str:
    """The model with every credential that it could be called with, in order."""
    options = session_options(session=asked.session)
    if options.model is None:
        return options.problem
    found = credentials_for(
        model=options.model,
        agent=asked.session.agent_slug,
        preferred=asked.session.profile,
        pinned=asked.session.profile_pinned,
    )
    lines = [_now(asked)]
    for credential in found:
        if credential.usable:
            lines.append(_("%(id)s: usable") % {"id": credential.id})
        elif credential.rests_until is not None:
            values = {
                "id": credential.id,
                "reason": credential.reason,
                "until": f"{credential.rests_until:%H:%M:%S}",
            }
            lines.append(_("%(id)s: rests until %(until)s UTC (%(reason)s)") % values)
        else:
            values = {"id": credential.id, "reason": credential.reason}
            lines.append(_("%(id)s: refused until it is edited (%(reason)s)") % values)
    return "\n".join(lines)
