"""How plugins stand in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agents.plugins.api import Contribution

# disabled: installed, but nobody enabled it; missing: enabled, but not installed.
PluginStanding = Literal["loaded", "failed", "disabled", "missing"]


@dataclass(frozen=True, slots=True)
class PluginState:
    """One plugin. `reason` says why it is not loaded; `hooks` are the names it listens to,
    `conflicts` what was left out because others have the name. `folder`: it lies in one.
    """

    id: str
    standing: PluginStanding
    name: str = ""
    version: str = ""
    package: str = ""
    reason: str = ""
    hooks: tuple[str, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    conflicts: tuple[str, ...] = ()
    folder: str = ""
    take_out: Callable[[], None] | None = None
