"""What `tools.exec` of the configuration says, as plain values. Knows no configuration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExecSettings:
    """The defaults are the reference's (runtime.md 4.2).

    `patch_models` empty: the default set. `background_seconds`: after these a command goes to the
    background. `timeout_seconds` 0: no limit. `kept_seconds`: how long an ended one can be asked
    about. `path_prepend`: folders that come first on the PATH of commands. `notify_on_exit`:
    whether a session hears of a background command's end, `notify_on_success` also of a good end
    without output.
    """

    patch_enabled: bool = True
    patch_workspace_only: bool = True
    patch_models: tuple[str, ...] = ()
    background_seconds: float = 10.0
    timeout_seconds: float = 1_800.0
    kept_seconds: float = 1_800.0
    path_prepend: tuple[str, ...] = ()
    notify_on_exit: bool = True
    notify_on_success: bool = False
