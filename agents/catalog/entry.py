"""What the catalog knows of one provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agents.core.model import ModelInfo

Source = Literal["environment", "database", "local", "built-in"]
# Where a model's window comes from, see `agents.catalog.window`.
WindowSource = Literal["contextTokens", "contextWindow", "known", "default", "agentContextTokens"]


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """One provider as it can be called. `template` is what each of its models starts from.

    `problem` says what is missing before it can be used, "" when nothing is. With `is_open` a
    model that is not listed can be asked for as well. `by_chance` says that it was found through
    a variable that other programs set too: it can be named, but is nobody's default. `windows`
    tells of the models of the configuration which key their window is from.
    """

    name: str
    template: ModelInfo
    source: Source
    models: Mapping[str, ModelInfo] = field(default_factory=dict)
    problem: str = ""
    is_open: bool = True
    by_chance: bool = False
    windows: Mapping[str, WindowSource] = field(default_factory=dict)
