"""What of the configuration an agent may not change, even for an owner, and why. Pure.

An agent reads what others wrote; whatever decides about its own rights, about who may talk to it,
about where keys are sent, or about what programs run here is changed by a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

RIGHTS = "it decides what agents may do"
PEOPLE = "it decides who may talk to agents and whose word counts"
KEYS = "it holds credentials or decides where they are sent"
PROGRAMS = "it decides which programs run here"
DOORS = "it decides how the gateway can be reached"
MONEY = "it limits what agents may spend"
OTHER = "it is not among the settings that agents may change"

# Sections that agents may change in part; all others are closed.
OPEN_SECTIONS = frozenset(
    {"agents", "messages", "session", "skills", "memory", "ui", "talk", "audio", "media", "tools"}
    | {"channels", "models", "cron", "broadcast", "logging", "$schema"}
)
_CLOSED_SECTIONS: Mapping[str, str] = {
    "approvals": RIGHTS,
    "commands": RIGHTS,
    "bindings": PEOPLE,
    "auth": KEYS,
    "env": KEYS,
    "secrets": KEYS,
    "gateway": DOORS,
    "hooks": DOORS,
    "web": DOORS,
    "proxy": DOORS,
    "plugins": PROGRAMS,
    "mcp": PROGRAMS,
    "acp": PROGRAMS,
    "nodeHost": PROGRAMS,
    "browser": PROGRAMS,
    "budgets": MONEY,
}
# From the beginning of a path; * is one step of any name.
_PROTECTED: tuple[tuple[str, str], ...] = (
    ("models.providers", KEYS),
    ("session.identityLinks", PEOPLE),
    ("session.sendPolicy", PEOPLE),
    # Whose messages meet in one conversation.
    ("session.dmScope", PEOPLE),
    ("session.scope", PEOPLE),
    ("session.mainKey", PEOPLE),
    ("session.agentToAgent", RIGHTS),
    ("cron.webhook", DOORS),
    # Which skills an agent has, and with them their keys.
    ("agents.*.skills", RIGHTS),
    ("agents.*.*.skills", RIGHTS),
    ("skills.load", PROGRAMS),
    ("skills.install", PROGRAMS),
    ("skills.entries", PROGRAMS),
    ("memory.qmd", PROGRAMS),
    ("logging.file", DOORS),
    ("logging.redact*", KEYS),
    ("talk.providers", KEYS),
)
# Of `tools` only these are open.
_OPEN_TOOLS = (
    *("tools.exec.backgroundMs", "tools.exec.timeoutSec", "tools.exec.cleanupMs"),
    *("tools.exec.notifyOnExit", "tools.exec.notifyOnExitEmptySuccess", "tools.toolSearch"),
)
# Wherever they stand.
_PROTECTED_KEYS: Mapping[str, str] = {
    **dict.fromkeys(("tools", "toolsBySender", "elevated", "sandbox", "approvals"), RIGHTS),
    **dict.fromkeys(("subagents", "execApprovals", "configWrites", "capabilities"), RIGHTS),
    "elevatedDefault": RIGHTS,
    **dict.fromkeys(("allowFrom", "groupAllowFrom", "ownerAllowFrom", "dmPolicy"), PEOPLE),
    **dict.fromkeys(("groupPolicy", "owners", "allowBots", "requireMention"), PEOPLE),
    **dict.fromkeys(("workspace", "agentDir", "cwd", "command", "cliPath", "binds"), PROGRAMS),
    **dict.fromkeys(("cliBackends", "runtime"), PROGRAMS),
    **dict.fromkeys(("baseUrl", "headers", "proxy", "request", "webhookUrl"), KEYS),
}
_KEY_PATTERNS: tuple[tuple[str, str], ...] = (
    ("dangerously*", RIGHTS),
    ("allow*private*", RIGHTS),
    ("*token", KEYS),
    ("*tokens", KEYS),
    ("*tokenfile", KEYS),
    ("*secret", KEYS),
    ("*secrets", KEYS),
    ("*password", KEYS),
    ("*passphrase", KEYS),
    ("*apikey", KEYS),
    ("*privatekey", KEYS),
    ("*credentials", KEYS),
    ("*webhookpath", DOORS),
)


def protected_because(path: Sequence[str | int]) -> str:
    """Why an agent may not change what stands at `path`; "" when it may.

    Holds for the place itself and for everything in it.
    """
    if not path:
        return OTHER
    steps = [str(step) for step in path]
    section = steps[0]
    if section not in OPEN_SECTIONS:
        return _CLOSED_SECTIONS.get(section, OTHER)
    if section == "tools":
        dotted = ".".join(steps)
        is_open = any(dotted == name or dotted.startswith(f"{name}.") for name in _OPEN_TOOLS)
        return "" if is_open else RIGHTS
    return _by_beginning(steps) or _by_key(steps)


def _by_beginning(steps: Sequence[str]) -> str:
    for pattern, reason in _PROTECTED:
        wanted = pattern.split(".")
        pairs = zip(steps, wanted, strict=False)
        if len(steps) >= len(wanted) and all(fnmatchcase(*pair) for pair in pairs):
            return reason
    return ""


def _by_key(steps: Sequence[str]) -> str:
    for step in steps:
        if step in _PROTECTED_KEYS:
            return _PROTECTED_KEYS[step]
        plain = step.lower().replace("_", "").replace("-", "")
        for pattern, reason in _KEY_PATTERNS:
            if fnmatchcase(plain, pattern):
                return reason
    return ""
