"""The names that rules may use: tools of the product, groups of them, other spellings. Pure."""

from __future__ import annotations

from collections.abc import Mapping

# What people and models call some tools elsewhere.
ALIASES: Mapping[str, str] = {
    "bash": "exec",
    "shell": "exec",
    "apply-patch": "apply_patch",
    "bundle-mcp": "plugin:mcp-*",
    "group:mcp": "plugin:mcp-*",
}

# runtime.md 5.1, with the tools of this product that the reference does not have.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "fs": ("read", "write", "edit", "apply_patch"),
    "runtime": ("exec", "process", "code_execution"),
    "web": ("web_search", "web_fetch", "x_search"),
    "memory": ("memory_search", "memory_get"),
    "sessions": (
        "sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "sessions_yield",
        "subagents", "session_status", "read_result",
    ),
    "ui": ("browser", "canvas"),
    "messaging": ("message",),
    "automation": ("heartbeat_respond", "cron", "gateway"),
    "nodes": ("nodes",),
    "agents": ("agents_list", "update_plan"),
    "media": ("image", "image_generate", "music_generate", "video_generate", "tts", "pdf"),
    "catalog": ("tool_search", "tool_describe", "tool_call"),
}  # fmt: skip
# Groups that are found out by looking at a tool.
OPENCLAW, PLUGINS = "group:openclaw", "group:plugins"
# What OPENCLAW leaves out: the tools of every coding agent.
BASE_TOOLS = frozenset({"read", "write", "edit", "apply_patch", "exec", "process"})

# Every tool of the product, built in this version or not.
CORE_NAMES = frozenset(name for names in GROUPS.values() for name in names)
GROUP_NAMES: tuple[str, ...] = (*(f"group:{name}" for name in GROUPS), OPENCLAW, PLUGINS)

# A rule for `write` is one for patches too: a patch writes files.
COMPANIONS: Mapping[str, tuple[str, ...]] = {"write": ("apply_patch",)}


def name_normalise(name: str) -> str:
    """The name of a tool or of an entry in the one spelling that rules compare: lower case, no
    blanks around it, aliases replaced."""
    plain = name.strip().lower()
    return ALIASES.get(plain, plain)
