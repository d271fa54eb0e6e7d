"""The Celery application: the bell that wakes lanes, and the ticks of the platform.

celery -A openclaw_site.celery worker -P threads -c 8 ...
"""

from __future__ import annotations

import gc
import os
import warnings
from typing import Any

from celery import Celery, bootsteps
from celery.beat import EmbeddedService
from celery.platforms import SecurityWarning
from celery.signals import setup_logging, worker_ready

from openclaw_site.environment import env_flag
from openclaw_site.readiness import ready_tell
from scheduler.ticks import TICKS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "openclaw_site.settings")
# The warning against root is about pickled messages; ours are JSON.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("openclaw")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = TICKS
app.autodiscover_tasks()


class EmbeddedBeat(bootsteps.StartStopStep):  # type: ignore[misc]
    """The scheduler of the platform's ticks as a thread of the worker.

    `celery worker -B` would fork a second process of 70 MB for it.
    """

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self._service: Any = None

    def start(self, parent: Any) -> None:
        """Starts the thread. The scheduler is named: the embedded default writes files."""
        self._service = EmbeddedService(
            parent.app, thread=True, scheduler_cls=parent.app.conf.beat_scheduler
        )
        self._service.start()

    def stop(self, parent: Any) -> None:
        """Ends the thread before the pool goes."""
        if self._service is not None:
            self._service.stop()


class TurnEngine(bootsteps.StartStopStep):  # type: ignore[misc]
    """The event loop on which this worker's turns run."""

    requires = ("celery.worker.components:Pool",)

    def start(self, parent: Any) -> None:
        """Starts the loop and the sweeper before the first task comes in."""
        from sessions.worker import worker_start

        worker_start()

    def stop(self, parent: Any) -> None:
        """Lets turns reach a safe point; what is left goes on at the next start."""
        from sessions.worker import worker_stop

        worker_stop()


app.steps["worker"].add(TurnEngine)

if env_flag("OPENCLAW_EMBEDDED_BEAT"):
    app.steps["worker"].add(EmbeddedBeat)


@setup_logging.connect
def on_setup_logging(**_: Any) -> None:
    """Its presence keeps Celery from replacing the handlers that Django has set up."""


@worker_ready.connect
def on_ready(**_: Any) -> None:
    """Tells the supervisor, and spares the collector what lives as long as the process."""
    gc.collect()
    gc.freeze()
    ready_tell()


def ring(session_id: str) -> None:
    """The bell of `sessions.wake`: one small task without result. Raises when Redis is away."""
    # An old ring says nothing that the sweeper has not found meanwhile.
    app.send_task("sessions.wake", args=(session_id,), retry=False, expires=600, ignore_result=True)
