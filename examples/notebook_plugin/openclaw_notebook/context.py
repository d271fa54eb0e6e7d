"""A context engine: decides what a model sees of a conversation."""

from __future__ import annotations

from agents.context.engine import EngineInfo, LegacyEngine


class PlainEngine(LegacyEngine):
    """Does what the built-in one does; a real one would override `assemble` or `compact`."""

    info = EngineInfo("notebook", "The notebook's context engine", "1.0")
