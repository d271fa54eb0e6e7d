"""The probes `/healthz` and `/readyz` (also `/health` and `/ready`).

The shapes are the reference gateway's. They answer anybody; names of failing parts and the
uptime are told only to callers of this machine and to signed-in people.
"""

from __future__ import annotations

import ipaddress
import time
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_http_methods
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

log = structlog.get_logger(__name__)
_STARTED = time.monotonic()
# A probe that waits longer than its caller helps nobody; seconds.
_REDIS_TIMEOUT = 2.0


@login_not_required
@require_http_methods(["GET", "HEAD"])
def live(request: HttpRequest) -> JsonResponse:
    """The process answers; nothing else is looked at."""
    return _uncached(JsonResponse({"ok": True, "status": "live"}))


@login_not_required
@require_http_methods(["GET", "HEAD"])
def ready(request: HttpRequest) -> JsonResponse:
    """Whether messages can be accepted now: 200, or 503 with the failing parts."""
    failing = [name for name, check in _CHECKS.items() if not check()]
    body: dict[str, Any] = {"ready": not failing}
    if _is_trusted(request):
        body["failing"] = failing
        body["uptimeMs"] = int((time.monotonic() - _STARTED) * 1000)
    return _uncached(JsonResponse(body, status=503 if failing else 200))


def _uncached(response: JsonResponse) -> JsonResponse:
    response["Cache-Control"] = "no-store"
    return response


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        log.warning("probe_failed", part="database", exc_info=True)
        return False
    return True


def _redis_answers() -> bool:
    try:
        with Redis.from_url(
            settings.OPENCLAW.redis_url,
            socket_timeout=_REDIS_TIMEOUT,
            socket_connect_timeout=_REDIS_TIMEOUT,
            # The client's own default tries for seconds; a probe wants to know now.
            retry=Retry(NoBackoff(), 0),
        ) as client:
            client.ping()
    except (RedisError, OSError):
        log.warning("probe_failed", part="redis", exc_info=True)
        return False
    return True


_CHECKS = {"database": _database_answers, "redis": _redis_answers}


def _is_trusted(request: HttpRequest) -> bool:
    if request.user.is_authenticated:
        return True
    if "HTTP_X_FORWARDED_FOR" in request.META:
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
