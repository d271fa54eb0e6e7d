"""One layer of the pipeline as data. Pure."""

from __future__ import annotations

from dataclasses import dataclass

# Number → name. 0 stands for what holds before the pipeline.
LAYER_NAMES = (
    "before the pipeline",
    "profile",
    "provider profile",
    "global",
    "global provider",
    "agent",
    "agent provider",
    "group, channel and sender",
    "sandbox",
    "subagent",
)


@dataclass(frozen=True, slots=True)
class Layer:
    """Rules that stand in one place. Deny wins; an empty `allow` allows everything.

    `source` is the place in the configuration that has the lists `allow` and `deny`. A layer that
    is not written there has a `title` in place of it. `own_name` replaces the name that belongs to
    `number`. A `literal` list of allowed tools is taken at its word; any other one that names no
    tool of the product lets all of them pass, for otherwise one wrong name would take everything.
    """

    number: int
    source: str = ""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    literal: bool = False
    title: str = ""
    own_name: str = ""

    @property
    def name(self) -> str:
        """What people call the layer."""
        return self.own_name or LAYER_NAMES[self.number]

    @property
    def place(self) -> str:
        """Where the rules stand, or what they are."""
        return self.title or self.source
