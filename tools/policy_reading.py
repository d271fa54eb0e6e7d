"""From the configuration to the rules that may concern an agent.

What cannot be understood is never left out: it becomes a fault, and then nothing may be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import structlog
from pydantic import ValidationError

from agents.config.documents import documents
from agents.config.paths import path_text
from agents.config.schema import Strict, schema_errors
from agents.config.sections.tool_policy_schema import (
    InstallationToolRules,
    OwnProfile,
    RoomTools,
    ToolLists,
    ToolRules,
    ToolScope,
    part_of,
)
from agents.config.selectors import value_resolve
from tools.policy.policies import Holder, Policies, Scope
from tools.policy.senders import sender_key

log = structlog.get_logger(__name__)

M = TypeVar("M", bound=Strict)


class PolicyFault(Exception):
    """Rules that cannot be understood; the text names their place."""


def installation_rules() -> InstallationToolRules:
    """The rules of `tools`. Raises PolicyFault."""
    return _typed(InstallationToolRules, documents().get("tools") or {}, "tools")


def policies_read(*, agent: str, tools: Any, channel: str) -> Policies:
    """The rules for the agent whose entry has the object `tools`, in rooms of `channel`.

    Queries nothing when the configuration was read a moment ago. Never raises for what is
    written in the configuration: see `Policies.fault`.
    """
    try:
        return _policies(agent, tools or {}, channel)
    except PolicyFault as fault:
        log.error("tool_policy_invalid", problem=str(fault), agent=agent)
        return Policies(fault=str(fault))


def _policies(agent: str, tools: Any, channel: str) -> Policies:
    stated = installation_rules()
    source = path_text(("agents", "list", agent, "tools"))
    own = _typed(ToolRules, tools, source)
    base = _holder(stated, "tools")
    subagents = scope_of(stated.subagents.tools, "tools.subagents.tools")
    return Policies(
        installation=Holder(
            base.own, base.by_provider, base.by_sender, base.sandbox, subagents=subagents
        ),
        agent=_holder(own, source),
        rooms=_rooms(channel),
        profiles={
            name: profile_scope(profile, path_text(("tools", "profiles", name)))
            for name, profile in stated.profiles.items()
        },
        owner_only=None if stated.owner_only is None else tuple(stated.owner_only),
    )


def _holder(rules: ToolRules, source: str) -> Holder:
    return Holder(
        own=scope_of(rules, source),
        by_provider={
            key.lower(): scope_of(scope, f"{source}.{path_text(('byProvider', key))}")
            for key, scope in rules.by_provider.items()
        },
        by_sender=_senders(rules.tools_by_sender, f"{source}.toolsBySender"),
        sandbox=scope_of(rules.sandbox.tools, f"{source}.sandbox.tools"),
    )


def _rooms(channel: str) -> Mapping[str, Holder]:
    """The rooms of a channel that say something about tools."""
    stated = documents().get("channels") or {}
    entry = stated.get(channel) if isinstance(stated, dict) else None
    rooms = entry.get("groups") if isinstance(entry, dict) else None
    if not isinstance(rooms, dict):
        return {}
    return {key.lower(): _room(channel, key, value) for key, value in rooms.items()}


def _room(channel: str, key: str, value: Any) -> Holder:
    source = path_text(("channels", channel, "groups", key))
    room = _typed(RoomTools, value or {}, source)
    return Holder(
        own=scope_of(room.tools, f"{source}.tools"),
        by_sender=_senders(room.tools_by_sender, f"{source}.toolsBySender"),
    )


def _senders(rules: Mapping[str, ToolLists], source: str) -> Mapping[str, Scope]:
    return {sender_key(key): scope_of(lists, f'{source}["{key}"]') for key, lists in rules.items()}


def scope_of(lists: ToolLists, source: str) -> Scope:
    """Typed lists as the pipeline takes them."""
    profile = lists.profile if isinstance(lists, ToolScope) else None
    return Scope(
        source=source,
        profile=profile or "",
        allow=_tuple(lists.allow),
        also_allow=_tuple(lists.also_allow) or (),
        deny=_tuple(lists.deny) or (),
    )


def profile_scope(profile: OwnProfile, source: str) -> Scope:
    """A named profile as the pipeline takes it."""
    return Scope(source, allow=_tuple(profile.allow), deny=_tuple(profile.deny) or ())


def _tuple(entries: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if entries is None else tuple(entries)


def _typed(model: type[M], document: Any, source: str) -> M:
    try:
        return model.model_validate(part_of(value_resolve(document), model))
    except ValidationError as error:
        path, message = next(schema_errors(model, error))
        where = ".".join((source, *(str(step) for step in path)))
        raise PolicyFault(f"{where} {message}") from error
    except ValueError as error:
        raise PolicyFault(f"{source} {error}") from error
