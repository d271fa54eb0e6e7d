"""Logging: lines for people on standard error, JSON for programs in `<home>/logs`.

Everything passes through the standard library's handlers, so that Django's, Celery's and our own
records look the same; secrets are removed from all of them.
"""

from __future__ import annotations

import logging
import logging.config
from pathlib import Path
from typing import Any

import orjson
import structlog
from structlog.types import EventDict, Processor

from channels_app.pages.redaction import value_redacted

FILE_NAME = "openclaw.jsonl"
# What these say of single requests is in the run history, or is noise of the open internet.
_QUIET = {
    "django.request": "ERROR",
    "django.security.DisallowedHost": "CRITICAL",
    "daphne": "WARNING",
    "celery": "WARNING",
    "kombu": "WARNING",
    "httpx": "WARNING",
    "httpx2": "WARNING",
    "openai": "WARNING",
    "anthropic": "WARNING",
    "django_celery_beat": "WARNING",
}


def secrets_remove(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """The processor that keeps tokens and keys out of every log line."""
    cleaned: EventDict = value_redacted(event)
    return cleaned


def _json(event: EventDict, **_: Any) -> str:
    return orjson.dumps(event, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]


def _formatter(*last: Processor) -> dict[str, Any]:
    return {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": _shared(),
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            secrets_remove,
            *last,
        ],
    }


def logging_dictionary(home: Path, *, debug: bool) -> dict[str, Any]:
    """The LOGGING setting. The file is reopened when somebody has moved it away."""
    level = "DEBUG" if debug else "INFO"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "people": _formatter(structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)),
            "programs": _formatter(structlog.processors.JSONRenderer(_json)),
        },
        "handlers": {
            "people": {"class": "logging.StreamHandler", "formatter": "people"},
            "programs": {
                "class": "logging.handlers.WatchedFileHandler",
                "filename": str(home / "logs" / FILE_NAME),
                "formatter": "programs",
                "delay": True,
            },
        },
        "root": {"handlers": ["people", "programs"], "level": level},
        "loggers": {name: {"level": quiet} for name, quiet in _QUIET.items()},
    }


def logging_apply(dictionary: dict[str, Any]) -> None:
    """Django's LOGGING_CONFIG: sets up the standard library and structlog before it."""
    logging.config.dictConfig(dictionary)
    structlog.configure(
        processors=[*_shared(), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelName(dictionary["root"]["level"])
        ),
        cache_logger_on_first_use=True,
    )
