"""What is configured about the commands of an agent, read before they are judged."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
from pydantic import ValidationError

from agents.config.cache import cached
from agents.config.registry import section
from agents.config.sections.exec_schema import Elevated, ExecRules, SafeBin
from agents.core.errors import OpenClawError
from agents.core.tools import ToolContext
from agents.database import run_db
from agents.selectors import agent_snapshot
from tools.allowances import allowances_for
from tools.exec_security.analysis import ListRules
from tools.exec_security.decision import Ask, Security
from tools.exec_security.elevated import LEVELS, ElevatedRules, Gate, Level
from tools.exec_security.place import SYSTEM_FOLDERS
from tools.exec_security.safe_bins import DEFAULT_BINS, PROFILES, SafeBinProfile
from tools.exec_settings import agent_tools, exec_rules_stated, folders

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ExecBook:
    """The rules of one agent. `security` None: nobody stated it. `trusted` are folders of filters
    and commands that only look."""

    security: Security | None = None
    ask: Ask = "on-miss"
    fallback: Security = "deny"
    host: str = "auto"
    trusted: tuple[str, ...] = SYSTEM_FOLDERS
    rules: ListRules = field(default_factory=ListRules)
    elevated: ElevatedRules = field(default_factory=ElevatedRules)


class _NotReadHereError(Exception):
    """The rows were to be read on an event loop."""


# The newest books, for the event loop: there the rows cannot be read.
_books: dict[str, ExecBook] = {}


def exec_book(agent: str) -> ExecBook:
    """The rules of an agent. Queries nothing when they were read a moment ago."""
    book = cached(("exec rules", agent), lambda: _book_read(agent))
    _books[agent] = book
    return book


def exec_book_known(agent: str) -> ExecBook | None:
    """The same on an event loop: the newest that was read, None when none ever was."""
    try:
        return exec_book(agent)
    except _NotReadHereError:
        return _books.get(agent)


async def exec_book_fetch(context: ToolContext) -> None:
    """Reads the rules of a turn's agent anew if they have become old.

    Never raises: where they cannot be read, the newest that are known go on holding.
    """
    agent = context.agent_id
    try:
        cached(("exec rules", agent), _refused)
    except _NotReadHereError:
        try:
            await run_db(exec_book, agent)
        except Exception:
            log.exception("exec_rules_not_read", agent=agent)


def _refused() -> ExecBook:
    raise _NotReadHereError


def _book_read(agent: str) -> ExecBook:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise _NotReadHereError
    stated = exec_rules_stated(agent)
    return ExecBook(
        security=stated.security,
        ask=stated.ask or "on-miss",
        fallback=stated.ask_fallback or "deny",
        host=stated.host or "auto",
        trusted=(*SYSTEM_FOLDERS, *folders(stated.safe_bin_trusted_dirs or ())),
        rules=_list_rules(agent, stated),
        elevated=_elevated(agent),
    )


def _list_rules(agent: str, stated: ExecRules) -> ListRules:
    own = {name: _profile(entry) for name, entry in (stated.safe_bin_profiles or {}).items()}
    bins = DEFAULT_BINS if stated.safe_bins is None else tuple(stated.safe_bins)
    return ListRules(
        allowances=allowances_for(agent),
        safe_bins=bins,
        profiles={**PROFILES, **own},
        strict_inline=stated.strict_inline_eval is not False,
    )


def _profile(stated: SafeBin) -> SafeBinProfile:
    return SafeBinProfile(
        stated.min_positional,
        stated.max_positional,
        frozenset(stated.allowed_value_flags),
        frozenset(stated.denied_flags),
    )


def _elevated(agent: str) -> ElevatedRules:
    everyone: Elevated = section("tools").elevated
    try:
        own = Elevated.model_validate(agent_tools(agent).get("elevated") or {})
    except ValidationError as error:
        log.error("elevated_rules_invalid", agent=agent, problem=str(error))
        own = Elevated(enabled=False)
    return ElevatedRules(_gate(everyone), _gate(own), _level(agent))


def _gate(stated: Elevated) -> Gate:
    return Gate(stated.enabled, stated.allow_from)


def _level(agent: str) -> Level:
    try:
        settings: Mapping[str, Any] = agent_snapshot(slug=agent).settings
    except OpenClawError:
        return "off"
    stated = settings.get("elevatedDefault")
    return next((level for level in LEVELS if level == stated), "on")
