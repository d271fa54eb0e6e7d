"""A rendered event, before a connection gives it its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from channels_app.gateway.frames import event_head

Audience = Literal["watchers", "readers"]


@dataclass(frozen=True, slots=True)
class Frame:
    """An event for sockets of one flavour.

    `droppable` may be lost on a slow socket. `ends` is the run id that this frame ends, "" for
    none: a socket gets one such frame for each run id. `readers` are the sockets that subscribed
    to the session's messages, `watchers` also those that only sent one.
    """

    head: str
    droppable: bool = False
    ends: str = ""
    audience: Audience = "watchers"


def frame_make(
    event: str,
    payload: dict[str, Any],
    *,
    droppable: bool = False,
    ends: str = "",
    audience: Audience = "watchers",
) -> Frame:
    """Renders an event once for all sockets that get it in this form."""
    return Frame(event_head(event, payload), droppable, ends, audience)
