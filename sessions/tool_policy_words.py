"""What people read about layers, rules and entries that do nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tools.mcp.states import ServerState
from tools.policy.decision import Removal
from tools.policy.diagnostics import Diagnostic

_LAYERS: Mapping[str, Any] = {
    "optional tools": gettext_lazy("optional tools"),
    "not set up": gettext_lazy("not set up"),
    "owner only": gettext_lazy("owner only"),
    "channel": gettext_lazy("channel"),
    "model service": gettext_lazy("model service"),
    "broken configuration": gettext_lazy("broken configuration"),
    "profile": gettext_lazy("profile"),
    "provider profile": gettext_lazy("provider profile"),
    "global": gettext_lazy("global"),
    "global provider": gettext_lazy("global provider"),
    "agent": gettext_lazy("agent"),
    "agent provider": gettext_lazy("agent provider"),
    "group, channel and sender": gettext_lazy("group, channel and sender"),
    "sandbox": gettext_lazy("sandbox"),
    "subagent": gettext_lazy("subagent"),
}
_NOTES: Mapping[str, Any] = {
    "unknown": gettext_lazy("%(source)s: %(entry)s means no tool that is known here."),
    "unavailable": gettext_lazy("%(source)s: %(entry)s is not available in this installation."),
    "core kept": gettext_lazy("%(source)s names no tool of the product, so these all stay."),
    "nothing left": gettext_lazy("%(source)s takes away the last tools."),
}


def layer_word(name: str) -> str:
    """The name of a layer for people."""
    return str(_LAYERS.get(name, name))


def rule_text(removal: Removal) -> str:
    """The rule that removed a tool, in one line."""
    if removal.kind == "denied":
        return removal.rule
    return _("%(source)s does not name it") % {"source": removal.source}


def offer_text(model: str) -> tuple[str, str]:
    """Layer and rule of a tool that no rule removed and that says itself that it does not fit."""
    text = _("the tool is not meant for %(model)s") % {"model": model}
    return _("the tool itself"), text


def note_text(note: Diagnostic) -> str:
    """What an administrator should know about a list."""
    text = str(_NOTES[note.trouble]) % {"source": note.source, "entry": note.entry}
    if note.nearest:
        text += " " + _("Did you mean %(match)s?") % {"match": note.nearest}
    return text


def server_notes(states: Iterable[ServerState]) -> Iterator[str]:
    """Why tools of MCP servers are not there at all. Says nothing of servers that are well."""
    for state in states:
        if state.standing == "bad":
            text = _("The MCP server %(name)s cannot be used: %(problem)s.")
            yield text % {"name": state.name, "problem": state.problem.rstrip(".")}
        elif state.standing == "unknown":
            text = _("The MCP server %(name)s was not asked for its tools yet; the next turn asks.")
            yield text % {"name": state.name}
