"""Security headers of every answer; the content policy is strict outside the admin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, cast

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

_COMMON = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; form-action 'self'; connect-src 'self'"
)
STRICT_POLICY = _COMMON
# The admin theme evaluates expressions in attributes and sets inline styles.
ADMIN_POLICY = (
    f"{_COMMON}; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'"
)
_HEADERS = {
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), geolocation=(), payment=(), usb=(), microphone=(self)",
}

Handler = Callable[[HttpRequest], HttpResponseBase]
AsyncHandler = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


def _with_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    is_admin = request.path_info.startswith("/admin/")
    response.headers.setdefault(
        "Content-Security-Policy", ADMIN_POLICY if is_admin else STRICT_POLICY
    )
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


@sync_and_async_middleware
def security_headers(get_response: Any) -> Any:
    """Adds the headers; a view that sets one of them itself keeps its own."""
    if iscoroutinefunction(get_response):
        answer_later = cast(AsyncHandler, get_response)

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            return _with_headers(request, await answer_later(request))

        return answer_async

    answer = cast(Handler, get_response)

    def answer_sync(request: HttpRequest) -> HttpResponseBase:
        return _with_headers(request, answer(request))

    return answer_sync
