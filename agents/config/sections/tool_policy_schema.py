"""Who may use which tools: the lists of `tools`, `agents.list[].tools` and `channels.*.groups`."""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field, model_validator

from agents.config.schema import Kept, Strict

# Entries of one list, and of one map; more is a mistake, not a policy.
MOST_ENTRIES = 500
_ENTRY = re.compile(r"!?[^\s!]{1,200}\Z")
_PROFILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")
_PROVIDER = re.compile(r"[^\s/]+(/\S+)?\Z")
_SENDER = re.compile(r"(\*|(id|e164|username|name):\s*\S.*|[^\s:]+)\Z", re.IGNORECASE)


def _allowed(entry: str) -> str:
    if not _ENTRY.match(entry.strip()):
        text = _("must be a tool, group:<name>, plugin:<id> or a pattern with *, perhaps with !")
        raise ValueError(text)
    return entry


def _named(entry: str) -> str:
    if entry.strip().startswith("!"):
        text = _("! has a meaning in allow only; name here what is to be taken away or added")
        raise ValueError(text)
    return _allowed(entry)


def _profile(name: str) -> str:
    if not _PROFILE.match(name):
        raise ValueError(_("must be the name of a profile: letters, digits, - and _"))
    return name


def _provider(key: str) -> str:
    if not _PROVIDER.match(key):
        raise ValueError(_("must be provider or provider/model"))
    return key


def _sender(key: str) -> str:
    if not _SENDER.match(key.strip()):
        raise ValueError(_("must be id:, e164:, username: or name: with a value behind it, or *"))
    return key


AllowList = Annotated[
    list[Annotated[str, AfterValidator(_allowed)]], Field(max_length=MOST_ENTRIES)
]
NameList = Annotated[list[Annotated[str, AfterValidator(_named)]], Field(max_length=MOST_ENTRIES)]
ProfileName = Annotated[str, AfterValidator(_profile)]


class ToolLists(Strict):
    """What is allowed and what is not. Deny wins; an empty allow list allows everything."""

    allow: AllowList | None = None
    also_allow: NameList | None = None
    deny: NameList | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.allow and self.also_allow:
            raise ValueError(
                _("allow and alsoAllow exclude each other: put the names of alsoAllow into allow")
            )
        return self


class ToolScope(ToolLists):
    """Lists, and the profile that they start from."""

    profile: ProfileName | None = None


class OwnProfile(Strict):
    """A profile of this installation."""

    allow: AllowList | None = None
    deny: NameList | None = None


class SandboxToolRules(Strict):
    """What sandboxed sessions may use."""

    tools: ToolLists = ToolLists()


class SubagentToolRules(Strict):
    """What children of agents may use."""

    tools: ToolLists = ToolLists()

    model: Kept = None


ProviderTools = Annotated[
    dict[Annotated[str, AfterValidator(_provider)], ToolScope], Field(max_length=MOST_ENTRIES)
]
SenderTools = Annotated[
    dict[Annotated[str, AfterValidator(_sender)], ToolLists], Field(max_length=MOST_ENTRIES)
]


class ToolRules(ToolScope):
    """Everything that `tools` and an agent's `tools` have in common."""

    by_provider: ProviderTools = {}
    tools_by_sender: SenderTools = {}
    sandbox: SandboxToolRules = SandboxToolRules()


class InstallationToolRules(ToolRules):
    """What only `tools` can say."""

    profiles: dict[ProfileName, OwnProfile] = {}
    owner_only: NameList | None = None
    subagents: SubagentToolRules = SubagentToolRules()


class RoomTools(Strict):
    """What a group or channel says: `tools` for all, `toolsBySender` for some."""

    tools: ToolLists = ToolLists()
    tools_by_sender: SenderTools = {}


def part_of(document: Any, model: type[Strict]) -> dict[str, Any]:
    """The keys of `document` that `model` knows; everything else is somebody else's.

    Raises ValueError for what is no object.
    """
    if not isinstance(document, dict):
        raise ValueError("must be an object")
    known = {field.alias or name for name, field in model.model_fields.items()}
    return {key: value for key, value in document.items() if key in known}
