"""What allow-always stores, by the kind of what was asked about."""

from __future__ import annotations

from collections.abc import Callable

from agents.core.registry import Registry
from sessions.approvals.shapes import command_text
from sessions.models import Approval
from tools.allowances import allowance_store

# Each stores what an approval of its kind allows from now on; the text says who decided. Called
# within the transaction of the decision.
ALLOWANCE_STORES: Registry[Callable[[Approval, str], None]] = Registry("allowance store")


def exec_allowance(approval: Approval, who: str) -> None:
    """What was allowed of a command, for the agent that asked. Raises UserError."""
    allowance_store(
        agent=approval.agent_slug,
        allow=approval.facts.get("allow") or (),
        command=command_text(approval),
        added_by=who,
    )


ALLOWANCE_STORES.register("exec", exec_allowance)


def allowance_remember(approval: Approval, who: str) -> None:
    """Stores what is allowed from now on; nothing for a kind that has no store."""
    if approval.kind in ALLOWANCE_STORES:
        ALLOWANCE_STORES.get(approval.kind)(approval, who)
