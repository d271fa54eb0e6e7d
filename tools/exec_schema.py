"""`tools.exec` of the configuration (automation.md 7.3, runtime.md 4.2)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from agents.config.schema import Strict
from agents.config.sections.exec_schema import ExecRules

# A provider/model, or a model alone; * stands for anything.
ModelName = Annotated[str, Field(min_length=1, max_length=200)]


class ApplyPatchDocument(Strict):
    """The tool apply_patch. `allow_models` empty: models of OpenAI and Azure OpenAI."""

    enabled: bool = True
    workspace_only: bool = True
    allow_models: list[ModelName] = Field(default=[], max_length=200)


class ExecDocument(ExecRules):
    """Commands, and the patch tool that the reference keeps in the same place."""

    apply_patch: ApplyPatchDocument = ApplyPatchDocument()
    # Milliseconds until a command goes to the background by itself.
    background_ms: int = Field(default=10_000, ge=10, le=120_000)
    # Seconds until a command is stopped; 0: never.
    timeout_sec: float = Field(default=1_800, ge=0, le=7 * 86_400)
    # Milliseconds that a background command which ended is kept.
    cleanup_ms: int = Field(default=1_800_000, ge=60_000, le=10_800_000)
    # Whether the session is told when a background command has ended, and also when it ended well
    # without having printed anything.
    notify_on_exit: bool = True
    notify_on_exit_empty_success: bool = False
