"""How long a service may be silent while it answers (runtime.md 2.11)."""

from __future__ import annotations

from agents.core.addresses import address_is_near
from agents.core.model import ModelInfo

# Seconds without anything of a stream; the turn's own limit ends it earlier where it is shorter.
IDLE_SECONDS = 120.0


def idle_seconds(model: ModelInfo) -> float | None:
    """The seconds without a piece of the answer after which a call has failed; None for no limit.

    What the provider states holds. Otherwise services close by have none: a model on one's own
    machine may take minutes to load or to read a long prompt.
    """
    if model.timeout_seconds > 0:
        return model.timeout_seconds
    return None if address_is_near(model.base_url) else IDLE_SECONDS
