"""How a child tells the supervisor that it is ready: a line on an inherited descriptor."""

from __future__ import annotations

import os

READY_VARIABLE = "OPENCLAW_READY_FD"


def ready_tell(note: str = "") -> None:
    """Says once that this process serves; without a supervisor nothing happens.

    `note` is one short line for the supervisor to show.
    """
    descriptor = os.environ.pop(READY_VARIABLE, "")
    if not descriptor:
        return
    os.write(int(descriptor), f"{note}\n".encode())
    os.close(int(descriptor))
