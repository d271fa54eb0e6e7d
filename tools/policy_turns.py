"""The decision for a turn: made once for the same circumstances, asked for on every call."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import structlog

from agents.config.cache import cached
from agents.core.errors import OpenClawError
from agents.core.principal import Principal
from agents.core.tools import ToolContext
from agents.database import run_db
from agents.selectors import agent_model, agent_snapshot
from tools.availability import tools_unavailable
from tools.mcp.sync import mcp_prepare, mcp_sync
from tools.policy.decision import Decision, pipeline, policy_apply
from tools.policy.facts import MAX_DEPTH, OWNER_ONLY, Facts, Sender, ToolFact, session_facts
from tools.policy.layer import Layer
from tools.policy.native_search import searches_itself
from tools.policy.policies import Policies, layers_for
from tools.policy_reading import policies_read
from tools.registry import TOOL_OPTIONAL, TOOL_PLUGINS, TOOLS

log = structlog.get_logger(__name__)

# A decision for each agent, model, channel, room, sender and kind of session that was seen lately.
DECISIONS_KEPT = 1024


@dataclass(frozen=True, slots=True, eq=False)
class PolicyBook:
    """All that is configured for an agent with a model in the rooms of a channel. Compared by
    identity: a change of the configuration makes another book."""

    policies: Policies = field(default_factory=Policies)
    owner_only: tuple[str, ...] = OWNER_ONLY
    unavailable: tuple[tuple[str, str], ...] = ()
    max_depth: int = MAX_DEPTH
    provider_search: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """A decision with what it was made of; `stages` are all layers that were applied."""

    facts: Facts
    stages: tuple[Layer, ...]
    decision: Decision


class _NotReadHereError(Exception):
    """The rows were to be read on an event loop."""


# The newest books, for the event loop: there the rows cannot be read.
_books: dict[tuple[str, str, str], PolicyBook] = {}


def policy_book(*, agent: str, channel: str, model: str) -> PolicyBook:
    """The book; `model` is provider/model. Queries nothing when it was read a moment ago.

    On an event loop it is the newest that was read in this process, and a book that allows nothing
    when there is none: have `policy_fetch` read it before.
    """
    key = (agent, channel, model)
    try:
        book = cached(("tool policy", key), lambda: _book_read(*key))
    except _NotReadHereError:
        return _books.get(key) or PolicyBook(Policies(fault="the configuration was not read"))
    if _books.get(key) is not book:
        _books[key] = book
    return book


async def policy_fetch(context: ToolContext) -> None:
    """Reads the book of a turn anew if it has become old.

    Never raises: where the rows cannot be read, the newest book that is known goes on holding.
    """
    await _policy_fetch(context)
    if await mcp_prepare():
        await _policy_fetch(context)


async def _policy_fetch(context: ToolContext) -> None:
    agent, channel, model = _key(context)
    try:
        cached(("tool policy", (agent, channel, model)), _refused)
    except _NotReadHereError:
        try:
            await run_db(policy_book, agent=agent, channel=channel, model=model)
        except Exception:
            log.exception("tool_policy_not_read", agent=agent)


def policy_decide(context: ToolContext) -> Decision:
    """Which tools the sender of this turn may use here, and why not the others.

    Queries nothing when it was asked a moment ago.
    """
    return policy_explained(context).decision


def policy_explained(
    context: ToolContext, sender: Sender | None = None, channel: str = ""
) -> Explained:
    """The same with what it was made of. `sender` is what is known beyond the principal, `channel`
    the one that is asked about, "" for that of the context."""
    agent, rooms, model = _key(context)
    book = policy_book(agent=agent, channel=rooms, model=model)
    facts = turn_facts(context, book, sender)
    if channel:
        facts = replace(facts, channel=channel)
    return _explained(book, facts, _tool_signs())


def turn_facts(context: ToolContext, book: PolicyBook, sender: Sender | None = None) -> Facts:
    """The circumstances of a turn, without its tools."""
    session = session_facts(context.session_key)
    provider, _slash, model = context.model.partition("/")
    return Facts(
        agent=context.agent_id,
        provider=provider,
        model=model,
        is_owner=context.principal.is_owner,
        channel=session.channel or context.channel,
        room=session.room,
        sender=sender or sender_of(context.principal),
        sandboxed=context.sandboxed,
        depth=session.depth,
        max_depth=book.max_depth,
        provider_search=book.provider_search,
        owner_only=book.owner_only,
        unavailable=book.unavailable,
    )


def sender_of(principal: Principal) -> Sender:
    """What a principal tells about the sender."""
    return Sender(id=principal.id, name=principal.name)


def tool_facts() -> tuple[ToolFact, ...]:
    """Every registered tool as rules see it, in the order of the registry."""
    return _tool_facts(_tool_signs())


@lru_cache(maxsize=DECISIONS_KEPT)
def _explained(book: PolicyBook, facts: Facts, signs: tuple[tuple[str, str], ...]) -> Explained:
    # The layers say already what follows from these: people without rules of their own share one
    # decision.
    plain = replace(facts, agent="", model="", room="", sender=Sender(), sandboxed=False, depth=0)
    layers = layers_for(book.policies, facts)
    stages, decision = _decided(plain, layers, signs)
    return Explained(replace(facts, tools=_tool_facts(signs)), stages, decision)


@lru_cache(maxsize=DECISIONS_KEPT)
def _decided(
    facts: Facts, layers: tuple[Layer, ...], signs: tuple[tuple[str, str], ...]
) -> tuple[tuple[Layer, ...], Decision]:
    facts = replace(facts, tools=_tool_facts(signs))
    return pipeline(facts, layers), policy_apply(facts, layers)


def _tool_signs() -> tuple[tuple[str, str], ...]:
    return tuple((name, TOOL_PLUGINS.get(name, "")) for name in TOOLS.names())


@lru_cache(maxsize=8)
def _tool_facts(signs: tuple[tuple[str, str], ...]) -> tuple[ToolFact, ...]:
    return tuple(ToolFact(name, plugin, _is_optional(name, plugin)) for name, plugin in signs)


def _is_optional(name: str, plugin: str) -> bool:
    # The product's own tools are not imported only to ask them.
    if not plugin:
        return False
    return name in TOOL_OPTIONAL or getattr(TOOLS.get(name), "optional", False) is True


def _key(context: ToolContext) -> tuple[str, str, str]:
    # Rooms are those of the channel that the key names; elsewhere there are none.
    return context.agent_id, session_facts(context.session_key).channel, context.model


def _refused() -> PolicyBook:
    raise _NotReadHereError


def _book_read(agent: str, channel: str, model: str) -> PolicyBook:
    if _on_event_loop():
        raise _NotReadHereError
    mcp_sync()
    try:
        settings: Mapping[str, Any] = agent_snapshot(slug=agent).settings
    except OpenClawError as error:
        return PolicyBook(Policies(fault=error.message))
    policies = policies_read(agent=agent, tools=settings.get("tools"), channel=channel)
    return PolicyBook(
        policies=policies,
        owner_only=OWNER_ONLY if policies.owner_only is None else policies.owner_only,
        unavailable=tools_unavailable(),
        max_depth=_max_depth(settings),
        provider_search=_provider_search(agent, model),
    )


def _max_depth(settings: Mapping[str, Any]) -> int:
    stated = settings.get("subagents")
    depth = stated.get("maxSpawnDepth") if isinstance(stated, Mapping) else None
    return depth if isinstance(depth, int) and depth > 0 else MAX_DEPTH


def _provider_search(agent: str, ref: str) -> bool:
    if not ref:
        return False
    try:
        model = agent_model(slug=agent, ref=ref)
    except OpenClawError:
        return False
    return searches_itself(model.provider, model.id, model.params)


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
