"""The list of commands that agents may run without being asked about."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.config.cache import cached
from agents.core.errors import NotFound, UserError
from agents.database import write_transaction
from agents.signals import rows_changed
from tools.exec_security.patterns import Allowance, pattern_problem
from tools.models import ExecAllowance

EVERY_AGENT = "*"
# Seconds between two notes of the use of one entry: a list is read, not counted.
USE_SECONDS = 60.0
_MOST_TEXT = 2_000
# Uses that were not written yet, and when the last one of each entry was.
_used: dict[int, tuple[str, str]] = {}
_noted: dict[int, float] = {}


def allowances_for(agent: str) -> tuple[Allowance, ...]:
    """The entries for an agent and for all, remembered like the configuration."""
    return cached(("exec allowances", agent), lambda: _read(agent))


def allowance_list(agent: str = "") -> QuerySet[ExecAllowance]:
    """All entries, or those that hold for one agent."""
    rows = ExecAllowance.objects.all()
    return rows.filter(agent_slug__in=(agent, EVERY_AGENT)) if agent else rows


def allowance_add(
    *, agent: str, pattern: str, argument_pattern: str = "", added_by: str = "",
    source: str = "admin", command: str = "",
) -> ExecAllowance:  # fmt: skip
    """The entry, made unless it is there. Raises UserError for a pattern that means nothing."""
    if problem := pattern_problem(pattern, argument_pattern):
        raise UserError(_("pattern: %(problem)s.") % {"problem": problem})
    with write_transaction():
        row, made = ExecAllowance.objects.get_or_create(
            agent_slug=(agent or EVERY_AGENT).lower(),
            pattern=pattern,
            argument_pattern=argument_pattern,
            defaults={
                "source": source,
                "command_text": command[:_MOST_TEXT],
                "added_by": added_by[:120],
            },
        )
        if made:
            rows_changed(using="default")
    return row


def allowance_store(
    *, agent: str, allow: Sequence[Mapping[str, Any]], command: str, added_by: str
) -> list[ExecAllowance]:
    """Keeps what somebody allowed for always, within a transaction or without.

    `allow` are the facts of the approval: objects with pattern and argumentPattern. The entries
    hold for that agent alone. Raises UserError for what is no entry.
    """
    return [
        allowance_add(
            agent=agent,
            pattern=str(entry.get("pattern") or ""),
            argument_pattern=str(entry.get("argumentPattern") or ""),
            added_by=added_by,
            source="allow-always",
            command=command,
        )
        for entry in allow
    ]


def allowance_remove(*, entry_id: int) -> ExecAllowance:
    """Takes an entry away and gives it back. Raises NotFound for an unknown number."""
    with write_transaction():
        row = ExecAllowance.objects.filter(pk=entry_id).first()
        if row is None:
            raise NotFound(
                _("There is no entry %(id)s; see manage.py allowances list.") % {"id": entry_id}
            )
        ExecAllowance.objects.filter(pk=entry_id).delete()
        rows_changed(using="default")
    return row


def allowance_used(entry_id: int, *, command: str, program: str) -> None:
    """Notes that an entry let a command run; written by the next `allowances_flush`."""
    last = _noted.get(entry_id)
    if last is None or time.monotonic() - last >= USE_SECONDS:
        _used[entry_id] = (command[:_MOST_TEXT], program)


def allowances_pending() -> bool:
    """Whether there is something to write."""
    return bool(_used)


def allowances_flush() -> None:
    """Writes the noted uses, at most one a minute for each entry."""
    noted = dict(_used)
    _used.clear()
    now = timezone.now()
    with write_transaction():
        for entry_id, (command, program) in noted.items():
            _noted[entry_id] = time.monotonic()
            # Not through the model: nothing that is remembered changes by it.
            ExecAllowance.objects.filter(pk=entry_id).update(
                last_used_at=now,
                last_used_command=command,
                last_resolved_path=program[:500],
            )


def _read(agent: str) -> tuple[Allowance, ...]:
    rows = ExecAllowance.objects.filter(Q(agent_slug=agent) | Q(agent_slug=EVERY_AGENT))
    values = rows.order_by("id").values_list("pattern", "argument_pattern", "id")
    return tuple(Allowance(pattern, arguments, pk) for pattern, arguments, pk in values)
