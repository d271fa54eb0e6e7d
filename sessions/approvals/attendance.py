"""Whether somebody can be asked, and how long a question waits for an answer."""

from __future__ import annotations

from sessions.approvals.config_section import approvals_settings

# Origins of turns that nobody sits in front of: jobs, and the gateway's own news.
UNATTENDED = frozenset({"cron", "hook", "hooks", "heartbeat", "job", "wake", "webhook"})
# Design 10: a person at a terminal has less time than one who may be away from the page.
TERMINALS = frozenset({"acp", "cli", "tui"})
# The reference's longest time for a hook's question (runtime.md 12), in seconds.
LONGEST_HOOK_SECONDS = 600.0
# What the model reads when a call needs an answer that nobody can give.
NOBODY = (
    "Denied: {tool} needs the approval of a person, and nobody can be asked in a turn that was "
    "started by {origin}. An administrator can allow it beforehand (tool policy, allowed "
    "commands) or name somebody to ask (approvals.exec with targets)."
)


def attended(*, origin: str, agent: str, session_key: str) -> bool:
    """Whether a question of this turn reaches somebody.

    That of a job does only when it is forwarded to a named target. Reads the settings only for
    jobs.
    """
    if origin not in UNATTENDED:
        return True
    forwarding = approvals_settings().exec
    if forwarding.mode == "session" or not forwarding.targets:
        return False
    return forwarding.concerns(agent=agent, session_key=session_key)


def by_person(origin: str) -> bool:
    """Whether a message of this origin was written by a person, who may decide."""
    return origin not in UNATTENDED


def seconds_to_decide(*, origin: str, kind: str, stated_ms: object = None) -> float:
    """How long a question waits. `stated_ms` is what the asker wants, if it says so."""
    settings = approvals_settings()
    usual = settings.terminal_timeout_seconds if origin in TERMINALS else settings.timeout_seconds
    if not isinstance(stated_ms, int | float) or isinstance(stated_ms, bool) or stated_ms <= 0:
        return float(usual)
    seconds = stated_ms / 1000
    return min(seconds, LONGEST_HOOK_SECONDS) if kind == "hook" else seconds
