"""After a restart that an agent asked for, its session is told."""

from __future__ import annotations

from agents.database import write_transaction
from sessions.models import Run
from sessions.system_events.origins import begun_by
from sessions.system_events.services import system_event_add
from tools.builtin.gateway_restart import (
    RestartNote,
    restart_note_remove,
)


def restarted(note: RestartNote) -> None:
    """Adds the event and wakes the session of the turn that asked, if both are still there."""
    runs = Run.objects.filter(pk=note.run_id, session__key=note.session_key)
    run = runs.select_related("person").first()
    if run is not None:
        rights, channel = begun_by(run)
        with write_transaction():
            system_event_add(
                session_key=note.session_key,
                text=note.text,
                source="restart",
                context_key="restart",
                wake=True,
                principal=rights,
                origin={"channel": channel},
            )
    restart_note_remove()
