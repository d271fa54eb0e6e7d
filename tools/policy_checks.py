"""What is wrong with rules about tools in a document, before it is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from pydantic import ValidationError

from agents.config.issues import Findings
from agents.config.paths import Path, nearest
from agents.config.schema import Strict, schema_errors
from agents.config.section import Document
from agents.config.sections.agents_schema import AgentEntry, AgentsDocument
from agents.config.sections.tool_policy_schema import (
    InstallationToolRules,
    OwnProfile,
    RoomTools,
    ToolLists,
    ToolRules,
    ToolScope,
    part_of,
)
from agents.workspace import MAIN_SLUG
from tools.policy.diagnostics import entry_nearest
from tools.policy.facts import ToolFact
from tools.policy.profiles import PROFILES

ROOT: Path = ("tools",)
Lists = ToolLists | OwnProfile
ToolsFn = Callable[[], tuple[ToolFact, ...]]


class PolicyCheck:
    """Looks at every list of a document. `tools` gives what is registered in this process."""

    def __init__(self, stated: InstallationToolRules, findings: Findings, tools: ToolsFn) -> None:
        self._stated = stated
        self._findings = findings
        self._tools = tools

    def installation(self) -> None:
        """The rules of `tools` itself."""
        for name in self._stated.profiles:
            if name in PROFILES:
                text = _("%(name)s is a profile of the product; choose another name")
                self._findings.error((*ROOT, "profiles", name), text % {"name": name})
        self._all(_places(self._stated, ROOT))
        for index, entry in enumerate(self._stated.owner_only or ()):
            self._entry((*ROOT, "ownerOnly", index), entry)

    def whole(self, sections: Mapping[str, Strict], document: Document) -> None:
        """The rules of agents and rooms, and who can reach whom."""
        channels = document.get("channels")
        channels = channels if isinstance(channels, dict) else {}
        self._rooms(channels)
        default = None if "agents" in document else AgentsDocument()
        agents = sections.get("agents", default)
        if not isinstance(agents, AgentsDocument):
            return
        for index, entry in enumerate(agents.entries):
            self._all(_places(entry.tools, ("agents", "list", index, "tools")))
        for channel, agent in _reached(channels, document.get("bindings"), agents.entries):
            self._wildcard(channel, agent, agents.entries)

    def _all(self, places: Iterator[tuple[Path, Lists]]) -> None:
        for path, lists in places:
            self._profile(path, lists)
            for key in ("allow", "also_allow", "deny"):
                for index, entry in enumerate(getattr(lists, key, None) or ()):
                    name = "alsoAllow" if key == "also_allow" else key
                    self._entry((*path, name, index), entry)

    def _profile(self, path: Path, lists: Lists) -> None:
        name = lists.profile if isinstance(lists, ToolScope) else None
        known = [*PROFILES, *self._stated.profiles]
        if not name or name in known:
            return
        values = {"name": name, "known": ", ".join(known), "match": nearest(name, known)}
        text = _("there is no profile %(name)s; there are: %(known)s")
        if values["match"]:
            text = _("there is no profile %(name)s; did you mean %(match)s?")
        self._findings.error((*path, "profile"), text % values)

    def _entry(self, path: Path, entry: str) -> None:
        match = entry_nearest(entry, self._tools())
        if match is None:
            return
        text = _("%(entry)s means no tool that is known here")
        if match:
            text = _("%(entry)s means no tool that is known here; did you mean %(match)s?")
        self._findings.warn(path, text % {"entry": entry, "match": match})

    def _rooms(self, channels: Document) -> None:
        for channel, entry in channels.items():
            rooms = entry.get("groups") if isinstance(entry, dict) else None
            for key, room in (rooms if isinstance(rooms, dict) else {}).items():
                self._room(("channels", channel, "groups", key), room)

    def _room(self, path: Path, room: Any) -> None:
        try:
            typed = RoomTools.model_validate(part_of(room or {}, RoomTools))
        except ValidationError as error:
            for steps, message in schema_errors(RoomTools, error):
                self._findings.error((*path, *steps), message)
        except ValueError:
            self._findings.error(path, _("must be an object"))
        else:
            places = [((*path, "tools"), typed.tools)]
            places += [
                ((*path, "toolsBySender", key), one) for key, one in typed.tools_by_sender.items()
            ]
            self._all(iter(places))

    def _wildcard(self, channel: str, agent: str, entries: list[AgentEntry]) -> None:
        own = next((index for index, entry in enumerate(entries) if entry.id == agent), None)
        places: list[tuple[Path, ToolLists]] = [(ROOT, self._stated)]
        if own is not None:
            places.append((("agents", "list", own, "tools"), entries[own].tools))
        for path, lists in places:
            for key, entries_ in (("allow", lists.allow), ("alsoAllow", lists.also_allow)):
                if entries_ and not lists.deny and _is_everything(entries_):
                    text = _(
                        "everybody can write to %(agent)s on %(channel)s, and * gives them every "
                        "tool that is not for owners only; name the tools, or add deny"
                    )
                    values = {"agent": agent, "channel": channel}
                    self._findings.warn((*path, key), text % values)


def _is_everything(entries: list[str]) -> bool:
    plain = [entry.strip() for entry in entries]
    return "*" in plain and not any(entry.startswith("!") for entry in plain)


def _places(rules: ToolRules, path: Path) -> Iterator[tuple[Path, Lists]]:
    """Every place below `path` that has lists."""
    yield path, rules
    for key, scope in rules.by_provider.items():
        yield (*path, "byProvider", key), scope
    for key, lists in rules.tools_by_sender.items():
        yield (*path, "toolsBySender", key), lists
    yield (*path, "sandbox", "tools"), rules.sandbox.tools
    if isinstance(rules, InstallationToolRules):
        yield (*path, "subagents", "tools"), rules.subagents.tools
        for name, profile in rules.profiles.items():
            yield (*path, "profiles", name), profile


def _reached(
    channels: Document, bindings: Any, entries: list[AgentEntry]
) -> Iterator[tuple[str, str]]:
    """Channels that anybody can write to, with the agents behind them."""
    default = next((entry.id for entry in entries if entry.default), "")
    default = default or (entries[0].id if entries else MAIN_SLUG)
    for channel, entry in channels.items():
        if not isinstance(entry, dict) or not _is_open(entry):
            continue
        bound = {agent for agent, wanted in _bound(bindings) if wanted == channel}
        for agent in sorted(bound) or [default]:
            yield channel, agent


def _is_open(entry: Document) -> bool:
    if entry.get("enabled") is False:
        return False
    senders = entry.get("allowFrom")
    return "open" in (entry.get("dmPolicy"), entry.get("groupPolicy")) or (
        isinstance(senders, list) and "*" in senders
    )


def _bound(bindings: Any) -> Iterator[tuple[str, str]]:
    for binding in bindings if isinstance(bindings, list) else ():
        match = binding.get("match") if isinstance(binding, dict) else None
        if isinstance(match, dict):
            yield str(binding.get("agentId", "")).lower(), str(match.get("channel", ""))
