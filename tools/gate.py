"""The gate that every tool call passes, made of independent judges.

A judge is asked about one call and answers with a verdict, or None when it has no opinion.
Later rules (profiles, allowlists, approvals) register their own judge. The strictest answer
holds: Deny before Park before Allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

import structlog

from agents.core.messages import ToolCall
from agents.core.registry import Registry
from agents.core.tools import Allow, Deny, Park, ToolContext, Verdict
from tools.registry import OWNER_ONLY_TOOLS, TOOLS

Judge = Callable[[ToolCall, ToolContext], Verdict | None]

# Asked in order of registration until one denies. A judge must be quick: it runs on the loop.
JUDGES: Registry[Judge] = Registry("tool judge")

log = structlog.get_logger(__name__)


class PolicyGate:
    """A ToolGate that asks every registered judge about every call."""

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        """One verdict per call, in order. Never raises: what cannot be judged is denied."""
        return [_judge_call(call, context) for call in calls]


def judge_known(call: ToolCall, context: ToolContext) -> Verdict | None:
    """Denies a call of a tool that is not registered and names one the caller may have meant."""
    if call.name in TOOLS:
        return None
    visible = [name for name in TOOLS.names() if _may_use(name, context)]
    nearest = get_close_matches(call.name, visible, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else f" Tools: {', '.join(visible)}."
    return Deny(f"Denied by the rule 'known tools': there is no tool {call.name!r}.{hint}")


def judge_owner_only(call: ToolCall, context: ToolContext) -> Verdict | None:
    """Denies a tool that only owners may use to everybody else."""
    if _may_use(call.name, context):
        return None
    return Deny(
        f"Denied by the rule 'owner only': {call.name!r} may be used only for messages "
        "of an owner of this gateway."
    )


# Here and not in AppConfig.ready(): whoever can import the gate has its two basic rules.
JUDGES.register("known tools", judge_known)
JUDGES.register("owner only", judge_owner_only)


def _may_use(name: str, context: ToolContext) -> bool:
    return context.principal.is_owner or name not in OWNER_ONLY_TOOLS


def _judge_call(call: ToolCall, context: ToolContext) -> Verdict:
    verdict: Verdict = Allow()
    for rule in JUDGES.names():
        opinion = _opinion(rule, call, context)
        if isinstance(opinion, Deny):
            return opinion
        if isinstance(opinion, Park) and not isinstance(verdict, Park):
            verdict = opinion
    return verdict


def _opinion(rule: str, call: ToolCall, context: ToolContext) -> Verdict | None:
    try:
        opinion = JUDGES.get(rule)(call, context)
    except Exception:  # a rule that cannot be applied must not open the gate
        log.exception("tool_judge_failed", rule=rule, tool=call.name)
        return Deny(f"Denied: the rule {rule!r} could not be checked.")
    if opinion is None or isinstance(opinion, Allow | Deny | Park):
        return opinion
    log.error("tool_judge_answered_nonsense", rule=rule, tool=call.name, answer=type(opinion))
    return Deny(f"Denied: the rule {rule!r} could not be checked.")
