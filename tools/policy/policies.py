"""The rules of an installation as plain data, and the layers they make for one turn. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tools.policy.defaults import SANDBOX_ALLOW, SANDBOX_DENY, subagent_denies
from tools.policy.facts import Facts
from tools.policy.layer import Layer
from tools.policy.names import name_normalise
from tools.policy.profiles import PROFILES
from tools.policy.senders import sender_match

EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class Scope:
    """What one place of the configuration says; `source` is that place.

    `allow` None is a list that is not there, () one that is empty: both allow everything.
    """

    source: str = ""
    profile: str = ""
    allow: tuple[str, ...] | None = None
    also_allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    def layer(self, number: int) -> Layer | None:
        """The lists of this place as a layer, None when it has none."""
        if not self.allow and not self.deny:
            return None
        return Layer(number, self.source, self.allow or (), self.deny, literal=number >= 7)


@dataclass(frozen=True, slots=True)
class Holder:
    """All rules that one holder of rules has: the installation, an agent, a room."""

    own: Scope = Scope()
    by_provider: Mapping[str, Scope] = field(default_factory=dict)
    by_sender: Mapping[str, Scope] = field(default_factory=dict)
    sandbox: Scope = Scope()
    subagents: Scope = Scope()

    def for_provider(self, facts: Facts) -> Scope:
        """What holds for the model: `provider/model` before `provider`."""
        provider, model = facts.provider.lower(), facts.model.lower()
        found = self.by_provider.get(f"{provider}/{model}") or self.by_provider.get(provider)
        return found or Scope()


@dataclass(frozen=True, slots=True)
class Policies:
    """Every rule that may concern an agent. `rooms` are those of the channel that is asked for,
    by their ids; `profiles` the named ones of this installation; `owner_only` None leaves the usual
    ones. `fault` names a part of the configuration that cannot be understood: then nothing may be
    used."""

    installation: Holder = Holder()
    agent: Holder = Holder()
    rooms: Mapping[str, Holder] = field(default_factory=dict)
    profiles: Mapping[str, Scope] = field(default_factory=dict)
    owner_only: tuple[str, ...] | None = None
    fault: str = ""


def layers_for(policies: Policies, facts: Facts) -> tuple[Layer, ...]:
    """The layers for one turn in the order of the pipeline; places that say nothing have none."""
    if policies.fault:
        return (Layer(0, deny=("*",), title=policies.fault, own_name="broken configuration"),)
    found = (
        _profile(policies, policies.agent.own, policies.installation.own, 1),
        _profile(
            policies,
            policies.agent.for_provider(facts),
            policies.installation.for_provider(facts),
            2,
        ),
        policies.installation.own.layer(3),
        policies.installation.for_provider(facts).layer(4),
        policies.agent.own.layer(5),
        policies.agent.for_provider(facts).layer(6),
        *_senders(policies, facts),
        *_sandbox(policies, facts),
        *_subagent(policies, facts),
    )
    return tuple(layer for layer in found if layer is not None)


def _profile(policies: Policies, own: Scope, base: Scope, number: int) -> Layer | None:
    """The profile that holds: the agent's own, else that of the installation.

    `alsoAllow` widens it here and nowhere else: that of the place with the profile, and that of
    the agent.
    """
    holder = own if own.profile else base
    name = holder.profile
    more = own.also_allow if holder is own else (*base.also_allow, *own.also_allow)
    if not name:
        # Without a profile everything is allowed; the list only brings optional tools.
        names = tuple(dict.fromkeys(("*", *base.also_allow, *own.also_allow)))
        return Layer(number, allow=names, title="no profile") if len(names) > 1 else None
    title = f'{holder.source}.profile "{name}"'
    if name in PROFILES:
        allow = PROFILES[name]
        wide = (*allow, *more) if allow else ("*", *more)
        return Layer(number, allow=wide, literal=True, title=title)
    scope = policies.profiles.get(name)
    if scope is None:
        return Layer(number, deny=("*",), title=f"{title}, which does not exist")
    allow = (*(scope.allow or ("*",)), *more)
    return Layer(number, scope.source, allow, _without(scope.deny, more))


def _without(denied: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """`denied` but for what `more` names word for word."""
    return tuple(entry for entry in denied if entry not in more)


def _senders(policies: Policies, facts: Facts) -> Iterator[Layer | None]:
    """Layer 7: what the installation, the agent and the room say about this sender.

    In a room the first of these holds: its own word about the sender, its own lists, the word of
    the room "*" about the sender, the lists of the room "*".
    """
    for holder in (policies.installation, policies.agent):
        if (scope := sender_match(holder.by_sender, facts.sender)) is not None:
            yield scope.layer(7)
    if not facts.room:
        return
    for name in (facts.room.lower(), EVERYBODY):
        room = policies.rooms.get(name)
        if room is None:
            continue
        scope = sender_match(room.by_sender, facts.sender)
        layer = scope.layer(7) if scope is not None else room.own.layer(7)
        if layer is not None or scope is not None:
            yield layer
            return


def _sandbox(policies: Policies, facts: Facts) -> Iterator[Layer]:
    """Layer 8: in a sandbox only what works inside of it, unless lists say otherwise.

    The agent's lists come before those of the installation, each for itself.
    """
    if not facts.sandboxed:
        return
    own, base = policies.agent.sandbox, policies.installation.sandbox
    stated = own if own.allow is not None else base
    more = own.also_allow or base.also_allow
    for scope, allow, deny in (
        (stated, (*(stated.allow or ()), *more, "image") if stated.allow else (), ()),
        (own if own.deny else base, (), own.deny or base.deny),
    ):
        if allow or deny:
            yield Layer(8, scope.source, allow, deny, literal=True)
    usual = () if stated.allow is not None else (*SANDBOX_ALLOW, *more)
    denied = _without(SANDBOX_DENY, (*(stated.allow or ()), *more))
    if usual or denied:
        yield Layer(8, "", usual, denied, literal=True, title="what works in a sandbox")


def _subagent(policies: Policies, facts: Facts) -> Iterator[Layer | None]:
    """Layer 9: what a child may not do; the deepest ones may not have children either."""
    if facts.depth < 1:
        return
    own = policies.installation.subagents
    lifted = {name_normalise(entry) for entry in (*(own.allow or ()), *own.also_allow)}
    usual = subagent_denies(is_leaf=facts.depth >= facts.max_depth)
    if denied := tuple(name for name in usual if name not in lifted):
        yield Layer(9, deny=denied, title=f"what a child of depth {facts.depth} may not do")
    yield own.layer(9)
