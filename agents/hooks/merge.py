"""How the results of several handlers become one, as data (runtime.md 12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Result = dict[str, Any]
Rule = Callable[[Any, Any], Any]

SEPARATOR = "\n\n"


def first(old: Any, new: Any) -> Any:
    """The first defined one holds: that of the highest priority."""
    return old


def last(old: Any, new: Any) -> Any:
    """The last defined one holds."""
    return new


def joined(old: Any, new: Any) -> Any:
    """Texts one below the other, in order of priority."""
    return f"{old}{SEPARATOR}{new}" if new else old


def listed(old: Any, new: Any) -> Any:
    """Lists behind each other; what is no list counts as one of one."""
    return [*_as_list(old), *_as_list(new)]


def strictest_action(old: Any, new: Any) -> Any:
    """finalize before revise before continue."""
    order = ("continue", "revise", "finalize")
    return max((old, new), key=lambda action: order.index(action) if action in order else -1)


@dataclass(frozen=True, slots=True)
class Terminal:
    """A decision after which no further handler is asked: `key` has `value`.

    Without it the companions are left out, and so is the key where it is a yes or no: `block:
    false` decides nothing.
    """

    key: str
    value: Any
    companions: tuple[str, ...] = ()

    def holds_back(self, key: str) -> bool:
        """Whether `key` means nothing unless this is decided."""
        return key in self.companions or (key == self.key and isinstance(self.value, bool))


@dataclass(frozen=True, slots=True)
class Merge:
    """The rules of one hook: what becomes of each key when two results have it.

    Keys without a rule are dropped and reported by `unknown`. `terminal` may end the round.
    """

    rules: Mapping[str, Rule] = field(default_factory=dict)
    terminal: Terminal | None = None

    def unknown(self, new: Mapping[str, Any]) -> list[str]:
        """The keys of a handler's result that mean nothing to this hook."""
        return [key for key in new if key not in self.rules]

    def add(self, merged: Result, new: Mapping[str, Any]) -> bool:
        """Adds a handler's result to `merged`; true when it ends the round.

        A None is no value. Never raises for what a handler returns.
        """
        given = {key: value for key, value in new.items() if value is not None}
        decided = self._decided(given)
        end = self.terminal
        for key, value in given.items():
            if end is not None and end.holds_back(key) and not decided:
                continue
            if key in self.rules:
                merged[key] = self.rules[key](merged[key], value) if key in merged else value
        return decided

    def _decided(self, given: Mapping[str, Any]) -> bool:
        end = self.terminal
        if end is None:
            return False
        found = given.get(end.key)
        # Only the very value decides: block "false", a text, must not block and 1 is not true.
        return type(found) is type(end.value) and bool(found == end.value)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


_MODEL: dict[str, Rule] = {"providerOverride": first, "modelOverride": first}
_CONTEXTS: dict[str, Rule] = {"prependContext": joined, "appendContext": joined}
_PROMPT: dict[str, Rule] = {
    "systemPrompt": first,
    "prependSystemContext": joined,
    "appendSystemContext": joined,
    **_CONTEXTS,
}
_BLOCK: dict[str, Rule] = {"block": last, "blockReason": last}

MERGES: dict[str, Merge] = {
    "before_model_resolve": Merge(_MODEL),
    "agent_turn_prepare": Merge(_CONTEXTS),
    "before_prompt_build": Merge(_PROMPT),
    "before_agent_start": Merge({**_MODEL, **_PROMPT}),
    "before_agent_finalize": Merge({"action": strictest_action, "reason": joined, "retry": first}),
    "heartbeat_prompt_contribution": Merge(_CONTEXTS),
    "message_sending": Merge(
        {"content": last, "metadata": last, "cancel": last, "cancelReason": last},
        Terminal("cancel", True, ("cancelReason",)),
    ),
    "before_tool_call": Merge(
        {"params": last, "requireApproval": first, **_BLOCK},
        Terminal("block", True, ("blockReason",)),
    ),
    "subagent_spawning": Merge(
        {"status": last, "error": last, "threadBindingReady": last, "deliveryOrigin": first},
        Terminal("status", "error", ("error",)),
    ),
    "subagent_delivery_target": Merge({"origin": first}),
    "before_install": Merge(
        {"findings": listed, **_BLOCK}, Terminal("block", True, ("blockReason",))
    ),
    "tool_result_persist": Merge({"message": last}),
    "before_message_write": Merge(
        {"message": last, **_BLOCK}, Terminal("block", True, ("blockReason",))
    ),
}
# A claim carries what the caller of the hook reads: its result is passed on whole.
_NOTHING = Merge()


def merge_for(name: str) -> Merge:
    """The rules of a hook; none for hooks whose results are ignored or passed on whole."""
    return MERGES.get(name, _NOTHING)
