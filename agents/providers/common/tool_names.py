"""The tool that a model meant, where it wrote more than the name."""

from __future__ import annotations

import re
from collections.abc import Container

# "functions.read", "tool:read", "default_api.read": what models write in front of a name.
_PREFIX = re.compile(r"(?:functions?|tools?|default_api)[./:_-]+", re.IGNORECASE)


def tool_name_match(name: str, known: Container[str]) -> str:
    """The known name that `name` stands for; `name` itself when it stands for none."""
    if name in known:
        return name
    found = _PREFIX.match(name)
    rest = name[found.end() :] if found else name.strip()
    return rest if rest in known else name
