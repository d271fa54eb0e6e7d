"""The names under which models see the tools of a server. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

# What every model service takes as the name of a function (design 10).
LONGEST = 64
PREFIX = "mcp__"
# Hexadecimal digits that tell apart what would be called the same.
_MARK = 6
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


def plugin_of(server: str) -> str:
    """The name that rules have for all tools of a server: `mcp-<server>`."""
    return f"mcp-{server}"


def tool_names(server: str, names: Iterable[str]) -> dict[str, str]:
    """Each of the server's own names with the one that models see: `mcp__<server>__<tool>`.

    At most 64 letters, digits, hyphens and underscores, no two the same even when the case of
    letters does not count. A name depends on the set of names, never on their order.
    """
    own = list(dict.fromkeys(names))
    groups: dict[str, list[str]] = {}
    for name in own:
        groups.setdefault(_plain(server, name).lower(), []).append(name)
    return {name: _unique(server, name, groups[_plain(server, name).lower()]) for name in own}


def _unique(server: str, name: str, group: list[str]) -> str:
    """`group` are all names that would be called the same."""
    plain = _plain(server, name)
    # One that needed no cleaning keeps its name beside those that did.
    clean = [other for other in group if not _OTHER.search(other)] or group
    return plain if len(plain) <= LONGEST and clean == [name] else _marked(plain, name)


def _plain(server: str, name: str) -> str:
    return f"{PREFIX}{server}__{_OTHER.sub('_', name) or '_'}"


def _marked(text: str, name: str) -> str:
    mark = sha256(name.encode(errors="replace")).hexdigest()[:_MARK]
    return f"{text[: LONGEST - _MARK - 1]}_{mark}"
