"""Every hook there is: how its handlers run, what their results may hold, what is withheld.

The table is runtime.md 12. A hook is one of four classes:

    observe      all handlers side by side; what they return is ignored
    modify       one after another, highest priority first; results are merged
    claim        one after another until the first says {"handled": true}
    synchronous  one after another, never awaited; each sees what the one before made
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from agents.hooks.merge import Merge, merge_for

HookClass = Literal["observe", "modify", "claim", "synchronous"]

# Seconds that a handler may take when nobody says otherwise, and the most that may be said.
DEFAULT_SECONDS: dict[HookClass, float] = {
    "observe": 30.0,
    "modify": 15.0,
    "claim": 15.0,
    "synchronous": 1.0,
}
LONGEST_SECONDS = 600.0


class UnknownHook(ValueError):
    """A name that is no hook; the text names the nearest one."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook. `conversation` names the keys of its event that hold what people and models said;
    they are left out for a plugin without access to conversations. `injects` names the keys of a
    result that reach the model's prompt; they are dropped for a plugin that may not inject.
    `fails_closed` says that a handler which throws or is too slow blocks what was about to happen.
    """

    name: str
    kind: HookClass
    conversation: tuple[str, ...] = ()
    injects: tuple[str, ...] = ()
    fails_closed: bool = False

    @property
    def seconds(self) -> float:
        """The default time limit of one handler."""
        return DEFAULT_SECONDS[self.kind]

    @property
    def merge(self) -> Merge:
        """How results of several handlers become one."""
        return merge_for(self.name)


_CONTEXTS = ("prependContext", "appendContext")
_SYSTEM = ("systemPrompt", "prependSystemContext", "appendSystemContext")
_INPUT = ("prompt", "messages", "historyMessages", "systemPrompt")
_OUTPUT = ("assistantTexts", "lastAssistant", "lastAssistantMessage", "messages")

_OBSERVED: tuple[Hook, ...] = (
    Hook("model_call_started", "observe"),
    Hook("model_call_ended", "observe"),
    Hook("llm_input", "observe", conversation=_INPUT),
    Hook("llm_output", "observe", conversation=_OUTPUT),
    Hook("agent_end", "observe", conversation=("messages",)),
    Hook("before_compaction", "observe", conversation=("messages",)),
    Hook("after_compaction", "observe", conversation=("messages", "summary")),
    Hook("before_reset", "observe", conversation=("messages",)),
    Hook("message_received", "observe", conversation=("content",)),
    Hook("message_sent", "observe", conversation=("content",)),
    Hook("after_tool_call", "observe"),
    Hook("session_start", "observe"),
    Hook("session_end", "observe"),
    Hook("subagent_spawned", "observe"),
    Hook("subagent_ended", "observe"),
    Hook("gateway_start", "observe"),
    Hook("gateway_stop", "observe"),
    Hook("cron_changed", "observe"),
)
_MODIFYING: tuple[Hook, ...] = (
    Hook("before_model_resolve", "modify", conversation=("prompt", "attachments")),
    Hook("agent_turn_prepare", "modify", conversation=_INPUT, injects=_CONTEXTS),
    Hook("before_prompt_build", "modify", conversation=_INPUT, injects=(*_SYSTEM, *_CONTEXTS)),
    Hook("before_agent_start", "modify", conversation=_INPUT, injects=(*_SYSTEM, *_CONTEXTS)),
    Hook("before_agent_finalize", "modify", conversation=_OUTPUT),
    Hook("message_sending", "modify", conversation=("content",)),
    Hook("before_tool_call", "modify", fails_closed=True),
    Hook("subagent_spawning", "modify", conversation=("task",)),
    Hook("subagent_delivery_target", "modify"),
    Hook("heartbeat_prompt_contribution", "modify", injects=_CONTEXTS),
    Hook("before_install", "modify"),
)
_CLAIMING: tuple[Hook, ...] = (
    Hook("inbound_claim", "claim", conversation=("content", "body")),
    Hook("before_agent_reply", "claim", conversation=("cleanedBody",)),
    Hook("before_dispatch", "claim", conversation=("content", "body")),
    Hook("reply_dispatch", "claim", conversation=("content", "payloads")),
)
_SYNCHRONOUS: tuple[Hook, ...] = (
    Hook("tool_result_persist", "synchronous"),
    Hook("before_message_write", "synchronous", conversation=("message",)),
)
HOOK_TABLE: dict[str, Hook] = {
    hook.name: hook for hook in (*_OBSERVED, *_MODIFYING, *_CLAIMING, *_SYNCHRONOUS)
}


def hook_named(name: str) -> Hook:
    """The hook called `name`. Raises UnknownHook that names the nearest."""
    hook = HOOK_TABLE.get(name)
    if hook is None:
        raise UnknownHook(unknown_hook(name))
    return hook


def unknown_hook(name: str, known: Iterable[str] = HOOK_TABLE) -> str:
    """The sentence for a name that is no hook."""
    known = list(known)
    nearest = get_close_matches(name, known, n=1, cutoff=0.5)
    if nearest:
        return f"There is no hook {name!r}. Did you mean {nearest[0]!r}?"
    return f"There is no hook {name!r}. The hooks are: {', '.join(sorted(known))}."
