"""How a child tells the supervisor that it is ready: one byte on an inherited descriptor."""

from __future__ import annotations

import os

READY_VARIABLE = "OPENCLAW_READY_FD"


def ready_tell() -> None:
    """Says once that this process serves; without a supervisor nothing happens."""
    descriptor = os.environ.pop(READY_VARIABLE, "")
    if not descriptor:
        return
    os.write(int(descriptor), b"1")
    os.close(int(descriptor))
