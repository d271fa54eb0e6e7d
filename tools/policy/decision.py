"""The pipeline: which tools stay, and for each other one the layer and the rule. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tools.policy.diagnostics import Diagnostic, layer_diagnostics, names_no_core_tool
from tools.policy.facts import Facts, ToolFact
from tools.policy.layer import Layer
from tools.policy.patterns import Match, entry_match, split_exceptions
from tools.policy.prefilters import prefilters

Kind = Literal["denied", "not named"]


@dataclass(frozen=True, slots=True)
class Removal:
    """Why a tool is gone. `number` and `layer` are those of the first layer that removed it.

    `place` is that of the layer, `source` that of the list. `entry` is the entry of the list as it
    was written, "" where the tool is missing in a list of allowed ones.
    """

    tool: str
    number: int
    layer: str
    place: str
    source: str
    entry: str
    kind: Kind

    @property
    def rule(self) -> str:
        """The rule in one line: `tools.deny: exec`, `tools.allow does not name it`."""
        if self.kind == "denied":
            return f"{self.source}: {self.entry}"
        return f"{self.source} does not name it"


@dataclass(frozen=True)
class Decision:
    """`kept` and `removed` in the order of the registry; every tool is in just one of them."""

    kept: tuple[str, ...]
    removed: tuple[Removal, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    @cached_property
    def kept_names(self) -> frozenset[str]:
        """`kept`, for quick questions."""
        return frozenset(self.kept)

    @cached_property
    def removals(self) -> dict[str, Removal]:
        """`removed` by the name of the tool."""
        return {removal.tool: removal for removal in self.removed}


def policy_apply(facts: Facts, layers: Iterable[Layer]) -> Decision:
    """What is left of `facts.tools` when every layer has taken out what it does not want.

    First come the rules that hold before the pipeline (see `prefilters`), then `layers` in the
    order given. A layer never brings a tool back. The order of entries inside a layer changes
    nothing. Never raises.
    """
    stages = pipeline(facts, tuple(layers))
    left = list(facts.tools)
    removed: dict[str, Removal] = {}
    diagnostics: list[Diagnostic] = []
    for layer in stages:
        before = bool(left)
        gone = {removal.tool: removal for removal in _removals(layer, left, facts.tools)}
        left = [tool for tool in left if tool.name not in gone]
        removed |= gone
        diagnostics += layer_diagnostics(layer, facts.tools, emptied=before and not left)
    order = [removed[tool.name] for tool in facts.tools if tool.name in removed]
    return Decision(tuple(tool.name for tool in left), tuple(order), tuple(diagnostics))


def pipeline(facts: Facts, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """`layers` with what holds before them."""
    return (*prefilters(facts, layers), *layers)


def _removals(
    layer: Layer, left: Iterable[ToolFact], tools: tuple[ToolFact, ...]
) -> Iterator[Removal]:
    allowed, exceptions = split_exceptions(layer.allow)
    # Sorted, so that the rule that is named does not depend on the order of the list.
    denies = [
        *((entry, f"{layer.source}.deny", entry_match(entry)) for entry in sorted(layer.deny)),
        *((entry, f"{layer.source}.allow", entry_match(entry)) for entry in sorted(exceptions)),
    ]
    allows = [entry_match(entry) for entry in allowed]
    keeps_core = names_no_core_tool(layer, tools)
    for tool in left:
        denied = next((deny for deny in denies if deny[2](tool)), None)
        if denied is not None:
            yield _removal(tool, layer, denied[1], denied[0], "denied")
        elif not (keeps_core and not tool.plugin) and _is_missing(tool, allows):
            yield _removal(tool, layer, f"{layer.source}.allow", "", "not named")


def _is_missing(tool: ToolFact, allows: Sequence[Match]) -> bool:
    return bool(allows) and not any(allow(tool) for allow in allows)


def _removal(tool: ToolFact, layer: Layer, source: str, entry: str, kind: Kind) -> Removal:
    where = layer.title or source
    return Removal(tool.name, layer.number, layer.name, layer.place, where, entry, kind)
