"""Where the stable part of a system prompt ends.

Services cache prompts by prefix. Whoever builds the prompt puts `CACHE_BOUNDARY` between what is
the same in every turn and what is not; the mark itself is never sent.
"""

from __future__ import annotations

CACHE_BOUNDARY = "\n\x1ecache-boundary\x1e\n"


def system_parts(system: str) -> tuple[str, str]:
    """The stable and the changing part of a prompt; without a mark all of it is stable."""
    stable, _, changing = system.partition(CACHE_BOUNDARY)
    return stable.strip(), changing.strip()


def system_text(system: str) -> str:
    """The prompt as one text, without the mark."""
    return "\n\n".join(part for part in system_parts(system) if part)
