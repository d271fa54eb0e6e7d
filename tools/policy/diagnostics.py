"""Entries that do nothing, with the name that was probably meant. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from tools.policy.facts import ToolFact
from tools.policy.layer import Layer
from tools.policy.names import ALIASES, CORE_NAMES, GROUP_NAMES, name_normalise
from tools.policy.patterns import entry_match, split_exceptions

Trouble = Literal["unknown", "unavailable", "core kept", "nothing left"]

_CORE = tuple(ToolFact(name) for name in sorted(CORE_NAMES))


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something about a layer that an administrator should know.

    `unknown`: `entry` means no tool, `nearest` is what may have been meant. `unavailable`: it
    is a tool of the product that is not there. `core kept`: the list names no tool of the
    product, so these stay. `nothing left`: the layer takes out the last tools.
    """

    trouble: Trouble
    layer: str
    source: str
    entry: str = ""
    nearest: str = ""


def entry_nearest(entry: str, tools: Sequence[ToolFact] = ()) -> str | None:
    """None for an entry that means something; otherwise the nearest known name, "" for none.

    Tools of the product that are not there are known, too.
    """
    text = name_normalise(entry.strip().removeprefix("!"))
    match = entry_match(text)
    if text in CORE_NAMES or text in GROUP_NAMES or any(match(tool) for tool in tools):
        return None
    if text == "*" or any(match(tool) for tool in _CORE):
        return None
    if text.startswith("plugin:") and "*" in text:
        return None
    plugins = {tool.plugin.lower() for tool in tools if tool.plugin}
    known = [
        *CORE_NAMES, *GROUP_NAMES, *ALIASES, *plugins,
        *(tool.key for tool in tools), *(f"plugin:{name}" for name in plugins),
    ]  # fmt: skip
    return next(iter(get_close_matches(text, sorted(set(known)), n=1)), "")


def names_no_core_tool(layer: Layer, tools: Sequence[ToolFact]) -> bool:
    """Whether the list of allowed tools has only names of plugins and unknown ones."""
    allowed, _exceptions = split_exceptions(layer.allow)
    return bool(allowed) and not layer.literal and not any(_is_core(e, tools) for e in allowed)


def _is_core(entry: str, tools: Sequence[ToolFact]) -> bool:
    match = entry_match(entry)
    return any(match(tool) for tool in (*_CORE, *tools) if not tool.plugin)


def layer_diagnostics(
    layer: Layer, tools: Sequence[ToolFact], *, emptied: bool
) -> Iterator[Diagnostic]:
    """What there is to say about a layer; nothing about those that nobody wrote."""
    if emptied:
        yield Diagnostic("nothing left", layer.name, layer.place)
    if layer.title:
        return
    for field, entries in (("allow", layer.allow), ("deny", layer.deny)):
        for entry in sorted(entries):
            yield from _entry(layer, f"{layer.source}.{field}", entry, tools)
    if names_no_core_tool(layer, tools):
        yield Diagnostic("core kept", layer.name, f"{layer.source}.allow")


def _entry(
    layer: Layer, source: str, entry: str, tools: Sequence[ToolFact]
) -> Iterator[Diagnostic]:
    nearest = entry_nearest(entry, tools)
    if nearest is not None:
        yield Diagnostic("unknown", layer.name, source, entry, nearest)
    elif source.endswith(".allow") and _is_absent(name_normalise(entry), tools):
        yield Diagnostic("unavailable", layer.name, source, entry)


def _is_absent(name: str, tools: Sequence[ToolFact]) -> bool:
    return name in CORE_NAMES and all(tool.key != name for tool in tools)
