"""What `tools.exec` of the configuration says, as plain values. Knows no configuration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExecSettings:
    """The defaults are the reference's (runtime.md 4.2).

    `patch_models` empty: the default set. `background_seconds`: after these a command goes to the
    background. `timeout_seconds` 0: no limit. `kept_seconds`: how long an ended one can be asked
    about.
    """

    patch_enabled: bool = True
    patch_workspace_only: bool = True
    patch_models: tuple[str, ...] = ()
    background_seconds: float = 10.0
    timeout_seconds: float = 1_800.0
    kept_seconds: float = 1_800.0
