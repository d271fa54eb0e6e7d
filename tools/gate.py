"""The gate that every tool call passes, made of independent judges.

A judge is asked about one call and answers with a verdict, or None when it has no opinion.
Later rules (profiles, allowlists, approvals) register their own judge. The strictest answer
holds: Deny before Park before Allow.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from difflib import get_close_matches

import structlog

from agents.core.messages import ToolCall
from agents.core.registry import Registry
from agents.core.tools import Allow, Deny, Park, ToolContext, Verdict
from tools.policy.decision import Removal
from tools.policy.prefilters import OWNER_ONLY_LAYER
from tools.policy_turns import policy_decide, policy_fetch
from tools.registry import TOOLS

Judge = Callable[[ToolCall, ToolContext], Verdict | None]

# Asked in order of registration until one denies. A judge must be quick: it runs on the loop.
JUDGES: Registry[Judge] = Registry("tool judge")

# Awaited before calls are judged, for what cannot be read on the loop. What fails here is logged;
# a judge that misses something then says so.
PREPARATIONS: Registry[Callable[[Sequence[ToolCall], ToolContext], Awaitable[None]]] = Registry(
    "preparation of tool judges"
)

log = structlog.get_logger(__name__)


class PolicyGate:
    """A ToolGate that asks every registered judge about every call."""

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        """One verdict per call, in order. Never raises: what cannot be judged is denied."""
        await policy_fetch(context)
        for name in PREPARATIONS.names():
            try:
                await PREPARATIONS.get(name)(calls, context)
            except Exception:
                log.exception("tool_preparation_failed", preparation=name)
        return [_judge_call(call, context) for call in calls]


def judge_known(call: ToolCall, context: ToolContext) -> Verdict | None:
    """Denies a call of a tool that is not registered and names one the caller may have meant."""
    if call.name in TOOLS:
        return None
    visible = policy_decide(context).kept
    nearest = get_close_matches(call.name, visible, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else f" Tools: {', '.join(visible)}."
    return Deny(f"Denied by the rule 'known tools': there is no tool {call.name!r}.{hint}")


def judge_policy(call: ToolCall, context: ToolContext) -> Verdict | None:
    """Denies a tool that the rules take away from this sender here, and names layer and rule.

    They are looked at anew for each call: a rule that was added while the turn runs holds, too.
    """
    removal = policy_decide(context).removals.get(call.name)
    return None if removal is None else Deny(removal_text(removal))


def removal_text(removal: Removal) -> str:
    """What the model is told of a tool that the rules took away."""
    name = removal.tool
    if removal.layer == OWNER_ONLY_LAYER:
        return (
            f"Denied by the rule 'owner only': {name!r} may be used only for messages "
            "of an owner of this gateway."
        )
    where = f"layer {removal.number} ({removal.layer})" if removal.number else removal.layer
    return f"Denied by the rule 'tool policy', {where}, for {name!r}: {removal.rule}."


def absence_text(name: str, context: ToolContext) -> str:
    """Why the model of this turn does not have the tool `name`; "" when no rule took it."""
    removal = policy_decide(context).removals.get(name)
    if removal is None:
        return ""
    return f"There is no tool {name!r} in this turn. {removal_text(removal)}"


# Here and not in AppConfig.ready(): whoever can import the gate has its basic rules.
JUDGES.register("known tools", judge_known)
JUDGES.register("tool policy", judge_policy)
JUDGES.register("files", "tools.file_judge:judge_files")
JUDGES.register("exec security", "tools.exec_judge:judge_exec")
PREPARATIONS.register("files", "tools.file_judge:files_prepare")
PREPARATIONS.register("exec security", "tools.exec_judge:exec_prepare")


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
