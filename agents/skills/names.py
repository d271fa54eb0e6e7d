"""The slash commands of skills. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

# gateway.md 5.7: a-z, 0-9 and _, at most 32 characters; chat platforms take no others.
MAX_COMMAND = 32
_OTHER = re.compile(r"[^a-z0-9_]+")


def command_names(skills: Iterable[str], *, taken: Collection[str] = ()) -> dict[str, str]:
    """Command → skill, for each skill in the order given.

    A name that is taken, by a command of the product or by an earlier skill, gets _2, _3 and so on.
    Every command has 1 to 32 characters.
    """
    found: dict[str, str] = {}
    for skill in skills:
        base = _OTHER.sub("_", skill.lower()).strip("_")[:MAX_COMMAND] or "skill"
        name, number = base, 1
        while name in found or name in taken:
            number += 1
            ending = f"_{number}"
            name = base[: MAX_COMMAND - len(ending)] + ending
        found[name] = skill
    return found
