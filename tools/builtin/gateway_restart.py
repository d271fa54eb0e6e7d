"""Asks the supervisor to restart the gateway's processes, and leaves a note for afterwards."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson
from django.conf import settings

from agents.config.documents import documents
from agents.core.errors import ToolError

# Set by the supervisor for its children; SIGUSR1 asks it for a restart.
SUPERVISOR = "OPENCLAW_SUPERVISOR_PID"
_WORKER = "OPENCLAW_WORKER_ID"
_NOTE = "restart-note.json"


@dataclass(frozen=True, slots=True)
class RestartNote:
    """What is told after a restart: in which session, for which turn, by which worker."""

    session_key: str
    run_id: str
    worker: str
    text: str


def restart_check() -> int:
    """The supervisor's process id. Raises ToolError when a restart is not possible or not wanted.

    Uses the database.
    """
    commands = documents().get("commands")
    if isinstance(commands, dict) and commands.get("restart") is False:
        raise ToolError("Restarts are switched off (commands.restart).")
    text = os.environ.get(SUPERVISOR, "")
    if not text.isdecimal() or int(text) != os.getppid():
        raise ToolError(
            "This worker has no supervisor that could start it again: it runs by itself or in a "
            "container. Ask a person to restart it from outside."
        )
    return int(text)


def restart_ask(supervisor: int) -> None:
    """Asks the supervisor; it stops the processes in order and starts them again."""
    with suppress(ProcessLookupError):
        os.kill(supervisor, signal.SIGUSR1)


def restart_note_write(*, session_key: str, run_id: str, text: str) -> None:
    """Leaves the note for the next worker."""
    note = RestartNote(session_key, run_id, os.environ.get(_WORKER, ""), text)
    fresh = _path().with_suffix(".new")
    fresh.write_bytes(orjson.dumps(asdict(note)))
    fresh.chmod(0o600)
    fresh.replace(_path())


def restart_note_read() -> RestartNote | None:
    """A note that another worker left, None as a rule. Costs next to nothing."""
    try:
        note = RestartNote(**orjson.loads(_path().read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError):
        restart_note_remove()
        return None
    # Whoever asked has not been restarted yet.
    return None if note.worker == os.environ.get(_WORKER, "") else note


def restart_note_remove() -> None:
    """The note was told."""
    with suppress(OSError):
        _path().unlink()


def _path() -> Path:
    return Path(settings.OPENCLAW.home) / _NOTE
