"""Which tools somebody would have somewhere, and which rule took each of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from agents.catalog.resolve import default_model_ref, resolve_model
from agents.core.errors import NotFound, UserError
from agents.core.principal import Principal
from agents.core.tools import ToolContext
from agents.selectors import agent_snapshot, default_agent_slug
from sessions.keys import agent_of, main_key, session_key_normalise
from sessions.models import Person, Session
from sessions.tool_policy_words import layer_word, note_text, offer_text, rule_text, server_notes
from sessions.turns.sandboxes import session_sandbox
from tools.mcp.states import server_states
from tools.offers import tool_offered
from tools.policy.facts import Sender, ToolFact
from tools.policy.layer import Layer
from tools.policy.senders import sender_key
from tools.policy_turns import Explained, policy_explained
from tools.registry import TOOLS

# What a message has come through when neither question nor session key say it.
USUAL_CHANNEL = "web"


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One tool. `number` and `layer` say who removed it, `rule` by what; a kept one has none."""

    name: str
    plugin: str
    kept: bool
    number: int = 0
    layer: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class LayerLine:
    """One place with rules that were applied. `removed` is how many tools it took."""

    number: int
    name: str
    place: str
    allow: tuple[str, ...]
    deny: tuple[str, ...]
    removed: int


@dataclass(frozen=True, slots=True)
class PolicyExplanation:
    """The whole answer. `tools` are all that are registered, in the order that models see."""

    asker: Principal
    agent: str
    model: str
    channel: str
    session: str
    sender: str
    is_owner: bool
    is_sandboxed: bool
    tools: tuple[ToolLine, ...]
    layers: tuple[LayerLine, ...]
    notes: tuple[str, ...]

    @property
    def kept(self) -> int:
        """How many tools stay."""
        return sum(tool.kept for tool in self.tools)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        text = _("%(sender)s has %(kept)d of %(all)d tools with %(agent)s on %(channel)s.")
        return text % {
            "sender": self.sender, "kept": self.kept, "all": len(self.tools),
            "agent": self.agent, "channel": self.channel,
        }  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """The form that programs get."""
        return {
            "agent": self.agent,
            "model": self.model,
            "channel": self.channel,
            "session": self.session,
            "sender": {"name": self.sender, "owner": self.is_owner},
            "sandboxed": self.is_sandboxed,
            "tools": [_tool_json(tool) for tool in self.tools],
            "layers": [_layer_json(layer) for layer in self.layers],
            "notes": list(self.notes),
        }


def policy_explain(
    *,
    principal: Principal,
    agent: str = "",
    session: str = "",
    sender: str = "",
    channel: str = "",
    model: str = "",
    sandboxed: bool = False,
) -> PolicyExplanation:
    """What a turn would have that a message of `sender` starts.

    What is left out comes from the session, else from the agent; `sandboxed` is also what its
    settings put into a sandbox. Without a sender it is the owner
    of the session, else `principal`. The session need not exist yet. Raises NotFound and UserError
    that name what is unknown.
    """
    key = session_key_normalise(session, default_agent=default_agent_slug()) if session else ""
    row = Session.objects.select_related("owner").filter(key=key).first() if key else None
    slug = _agent(agent, key)
    # What the agent does not know is refused here, with the nearest name.
    snapshot = agent_snapshot(slug=slug)
    stated = model or (row.model if row else "") or default_model_ref(agent_model=snapshot.model)
    ref = resolve_model(ref=stated).ref
    asker, known = _sender(sender, row.owner.principal() if row else principal)
    sandboxed = sandboxed or session_sandbox(snapshot, key or main_key(slug)) is not None
    context = ToolContext(
        agent_id=slug,
        session_key=key or main_key(slug),
        workspace=Path(snapshot.workspace),
        principal=asker,
        channel=channel.strip().lower() or USUAL_CHANNEL,
        model=ref,
        sandboxed=sandboxed,
    )
    explained = policy_explained(context, known, channel=channel.strip().lower())
    facts = explained.facts
    return PolicyExplanation(
        asker=asker,
        agent=slug,
        model=ref,
        channel=facts.channel,
        session=key,
        sender=asker.name or sender,
        is_owner=asker.is_owner,
        is_sandboxed=sandboxed,
        tools=tuple(_line(tool, explained, context) for tool in facts.tools),
        layers=tuple(_layers(explained)),
        notes=(*map(note_text, explained.decision.diagnostics), *server_notes(server_states())),
    )


def _agent(agent: str, key: str) -> str:
    wanted = agent.strip().lower()
    if not key:
        return wanted or default_agent_slug()
    if wanted and wanted != agent_of(key):
        text = _("The session %(key)s belongs to the agent %(agent)s: leave out one of both.")
        raise UserError(text % {"key": key, "agent": agent_of(key)})
    return agent_of(key)


def _sender(text: str, otherwise: Principal) -> tuple[Principal, Sender | None]:
    """Who is meant: a person, by id or name, or a stranger, by a key as in `toolsBySender`."""
    wanted = text.strip()
    if not wanted:
        return otherwise, None
    identifier = wanted.removeprefix("id:").strip()
    if (person := Person.objects.filter(pk=identifier).first()) is not None:
        return person.principal(), None
    people = list(Person.objects.filter(name__iexact=wanted)[:2])
    if len(people) == 1:
        return people[0].principal(), None
    if people:
        text = _("Several people are called %(name)s: write id: and the id of the person.")
        raise UserError(text % {"name": wanted})
    return _stranger(wanted)


def _stranger(text: str) -> tuple[Principal, Sender]:
    kind, colon, value = text.partition(":")
    try:
        if not colon:
            raise ValueError(text)
        kind = sender_key(text).partition(":")[0]
    except ValueError:
        said = _(
            "There is no person %(name)s. Write a name, or for a stranger id:, e164:, username: "
            "or name: with a value behind it."
        )
        raise NotFound(said % {"name": text}) from None
    return Principal(id="", name=text), Sender(**{kind: value.strip()})


def _line(tool: ToolFact, explained: Explained, context: ToolContext) -> ToolLine:
    removal = explained.decision.removals.get(tool.name)
    if removal is None:
        if tool_offered(TOOLS.get(tool.name), context):
            return ToolLine(tool.name, tool.plugin, kept=True)
        layer, rule = offer_text(context.model)
        return ToolLine(tool.name, tool.plugin, kept=False, layer=layer, rule=rule)
    return ToolLine(
        name=tool.name,
        plugin=tool.plugin,
        kept=False,
        number=removal.number,
        layer=layer_word(removal.layer),
        rule=rule_text(removal),
    )


def _layers(explained: Explained) -> Iterator[LayerLine]:
    """One line a place: tools that are missing for the same reason stand together."""
    removed = Counter((one.number, one.layer, one.place) for one in explained.decision.removed)
    stages: dict[tuple[int, str, str], list[Layer]] = {}
    for layer in explained.stages:
        stages.setdefault((layer.number, layer.name, layer.place), []).append(layer)
    for (number, name, place), layers in stages.items():
        yield LayerLine(
            number=number,
            name=layer_word(name),
            place=place,
            allow=tuple(dict.fromkeys(entry for layer in layers for entry in layer.allow)),
            deny=tuple(dict.fromkeys(entry for layer in layers for entry in layer.deny)),
            removed=removed[(number, name, place)],
        )


def _tool_json(tool: ToolLine) -> dict[str, Any]:
    row: dict[str, Any] = {"name": tool.name, "kept": tool.kept}
    if tool.plugin:
        row["plugin"] = tool.plugin
    if not tool.kept:
        row |= {"layer": tool.number, "layerName": tool.layer, "rule": tool.rule}
    return row


def _layer_json(layer: LayerLine) -> dict[str, Any]:
    return {
        "layer": layer.number,
        "name": layer.name,
        "place": layer.place,
        "allow": list(layer.allow),
        "deny": list(layer.deny),
        "removed": layer.removed,
    }
