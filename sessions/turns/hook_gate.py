"""The gate of tool calls with `before_tool_call` in front of the product's own rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.core.clean_text import clean_json
from agents.core.messages import ToolCall
from agents.core.tools import Allow, Deny, Park, ToolContext, ToolGate, Verdict

ModifyFn = Callable[[ToolCall], Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class HookGate:
    """A ToolGate. Handlers are asked first, so that the rules judge what would really run.

    A call that a hook wants approved is a question, unless the rules deny it anyway.
    """

    gate: ToolGate
    modify: ModifyFn

    async def judge(self, calls: Sequence[ToolCall], context: ToolContext) -> list[Verdict]:
        """One verdict per call, in order. A call that a hook blocks is denied with its reason."""
        judged = [await self._judge(call) for call in calls]
        changed = [
            call if isinstance(verdict, Deny) or verdict.arguments is None
            else replace(call, arguments=verdict.arguments)
            for call, verdict in zip(calls, judged, strict=True)
        ]  # fmt: skip
        left = [
            call for call, verdict in zip(changed, judged, strict=True)
            if not isinstance(verdict, Deny)
        ]  # fmt: skip
        rules = iter(await self.gate.judge(left, context) if left else [])
        return [
            verdict if isinstance(verdict, Deny) else _both(verdict, next(rules))
            for verdict in judged
        ]

    async def _judge(self, call: ToolCall) -> Verdict:
        return tool_verdict(await self.modify(call))


def tool_verdict(result: Mapping[str, Any]) -> Verdict:
    """What a merged result of `before_tool_call` means. Pure."""
    if result.get("block") is True:
        reason = result.get("blockReason") or "no reason was given"
        return Deny(f"Blocked by a hook: {reason}")
    params = result.get("params")
    if params is not None and not isinstance(params, Mapping):
        return Deny("Blocked: a hook changed the arguments to something that is not an object.")
    arguments = None if params is None else dict(params)
    if (approval := result.get("requireApproval")) is not None:
        return _question(approval if isinstance(approval, Mapping) else {}, arguments)
    return Allow(arguments)


def _question(wanted: Mapping[str, Any], arguments: dict[str, Any] | None) -> Park:
    """What a hook asks, in the reference's words (runtime.md 12). A yes is for this call only."""
    facts = {name: clean_json(wanted[name]) for name in _FACTS if name in wanted}
    title, description = (str(wanted.get(name) or "") for name in ("title", "description"))
    reason = ": ".join(text for text in (title, description) if text)
    return Park("", arguments, reason=reason or "A hook asks for approval.", kind="hook",
                facts=facts)  # fmt: skip


_FACTS = ("title", "description", "severity", "timeoutMs", "timeoutBehavior")


def _both(hook: Allow | Park, rule: Verdict) -> Verdict:
    """The stricter one, with the arguments that were judged."""
    if isinstance(rule, Deny):
        return rule
    arguments = hook.arguments if rule.arguments is None else rule.arguments
    if isinstance(rule, Park):
        # One question for both; what the hook says of running out of time does not hold for rules.
        reasons = [rule.reason, hook.reason if isinstance(hook, Park) else ""]
        reason = " ".join(reason for reason in reasons if reason)
        return replace(rule, arguments=arguments, reason=reason)
    return replace(hook, arguments=arguments)
