"""The Celery application: the bell that wakes lanes, and the ticks of the platform."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "openclaw_site.settings")

app = Celery("openclaw")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
