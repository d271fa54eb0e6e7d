"""The gate of tool calls with `before_tool_call` in front of the product's own rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.core.messages import ToolCall
from agents.core.tools import Allow, Deny, Park, ToolContext, ToolGate, Verdict

ModifyFn = Callable[[ToolCall], Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class HookGate:
    """A ToolGate. Handlers are asked first, so that the rules judge what would really run."""

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

    async def _judge(self, call: ToolCall) -> Deny | Allow:
        return tool_verdict(await self.modify(call))


def tool_verdict(result: Mapping[str, Any]) -> Deny | Allow:
    """What a merged result of `before_tool_call` means. Pure.

    An approval that is asked for cannot be given by anybody yet, so it counts as run out of time:
    denied, unless the hook itself says that time running out means "allow".
    """
    if result.get("block") is True:
        reason = result.get("blockReason") or "no reason was given"
        return Deny(f"Blocked by a hook: {reason}")
    if (approval := result.get("requireApproval")) is not None:
        wanted = approval if isinstance(approval, Mapping) else {}
        if wanted.get("timeoutBehavior") != "allow":
            title = wanted.get("title") or wanted.get("description") or "this call"
            return Deny(f"A hook asks for approval ({title}), and nobody can give it here.")
    params = result.get("params")
    if params is None:
        return Allow()
    if not isinstance(params, Mapping):
        return Deny("Blocked: a hook changed the arguments to something that is not an object.")
    return Allow(dict(params))


def _both(hook: Allow, rule: Verdict) -> Verdict:
    """The stricter one, with the arguments that were judged."""
    if isinstance(rule, Deny) or hook.arguments is None or rule.arguments is not None:
        return rule
    if isinstance(rule, Park):
        return replace(rule, arguments=hook.arguments)
    return Allow(hook.arguments)
