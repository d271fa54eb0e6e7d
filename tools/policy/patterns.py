"""The entries of allow and deny lists, and which tools they mean. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from tools.policy.facts import ToolFact
from tools.policy.names import (
    BASE_TOOLS,
    COMPANIONS,
    GROUPS,
    OPENCLAW,
    PLUGINS,
    name_normalise,
)

Match = Callable[[ToolFact], bool]


def split_exceptions(entries: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """An allow list as what it allows and what its `!name` entries take out again."""
    allowed: list[str] = []
    refused: list[str] = []
    for entry in entries:
        (refused if entry.strip().startswith("!") else allowed).append(entry)
    return tuple(allowed), tuple(refused)


@lru_cache(maxsize=4096)
def entry_match(entry: str) -> Match:
    """Tells for a tool whether `entry` means it.

    An entry is a tool's name, a plugin's id (all of its tools), `group:<name>`, `plugin:<id>`,
    each with `*` anywhere and in any case; a `!` in front is not looked at. Nothing raises: an
    entry that means no tool matches none.
    """
    text = name_normalise(entry.strip().removeprefix("!"))
    if text == "*":
        return lambda tool: True
    if text.startswith("plugin:"):
        plugin = _wildcard(text.removeprefix("plugin:"))
        return lambda tool: bool(tool.plugin) and plugin(tool.plugin.lower())
    if text.startswith("group:"):
        return _group(text)
    named = _wildcard(text)
    more = COMPANIONS.get(text, ())
    return lambda tool: (
        named(tool.key) or tool.key in more or (bool(text) and tool.plugin.lower() == text)
    )


def _group(text: str) -> Match:
    if text == PLUGINS:
        return lambda tool: bool(tool.plugin)
    if text == OPENCLAW:
        return _is_openclaw
    group = _wildcard(text)
    names = {name for known, names in GROUPS.items() if group(f"group:{known}") for name in names}
    plugins, openclaw = group(PLUGINS), group(OPENCLAW)
    return lambda tool: (
        tool.key in names or (plugins and bool(tool.plugin)) or (openclaw and _is_openclaw(tool))
    )


def _is_openclaw(tool: ToolFact) -> bool:
    return not tool.plugin and tool.key not in BASE_TOOLS


def _wildcard(pattern: str) -> Callable[[str], bool]:
    """Whether a text is `pattern`, in which `*` stands for any characters, also none.

    Takes linear time whatever the pattern, as a regular expression would not.
    """
    if "*" not in pattern:
        return lambda text: text == pattern
    first, *between, last = pattern.split("*")

    def match(text: str) -> bool:
        at, end = len(first), len(text) - len(last)
        if at > end or not text.startswith(first) or not text.endswith(last):
            return False
        for part in between:
            found = text.find(part, at, end)
            if found < 0:
                return False
            at = found + len(part)
        return True

    return match
