"""Static files by WhiteNoise from the apps' own folders, compressed on first use.

WhiteNoise's own middleware is synchronous: in an ASGI stack it would hold a thread for the
whole length of every asynchronous view behind it. This one uses its file table in both modes.
"""

from __future__ import annotations

import gzip
from inspect import iscoroutinefunction
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware
from whitenoise.middleware import WhiteNoiseMiddleware

_COMPRESSIBLE = ("text/", "application/javascript", "application/json", "image/svg+xml")
# Below one network packet compression gains nothing.
_SMALLEST = 1400


class StaticFiles:
    """The table of static files with the compressed form of those that were asked for."""

    def __init__(self) -> None:
        self._table = WhiteNoiseMiddleware(lambda request: None)
        self._compressed: dict[tuple[str, str], bytes] = {}

    def answer(self, request: HttpRequest) -> HttpResponseBase | None:
        """The file at the request's path, or None when there is none."""
        table, path = self._table, request.path_info
        if not path.startswith(table.static_prefix):
            return None
        file = table.find_file(path) if table.autorefresh else table.files.get(path)
        if file is None:
            return None
        found = file.get_response(request.method, request.META)
        body = b""
        if found.file is not None:
            with found.file as source:
                body = source.read()
        response = HttpResponse(body, status=int(found.status))
        del response["Content-Type"]
        for name, value in found.headers:
            response[name] = value
        if response.status_code == 200 and request.method == "GET":
            self._compress(request, response)
        return response

    def _compress(self, request: HttpRequest, response: HttpResponse) -> None:
        kind = response.get("Content-Type", "")
        if not kind.startswith(_COMPRESSIBLE) or len(response.content) < _SMALLEST:
            return
        patch_vary_headers(response, ["Accept-Encoding"])
        if "gzip" not in request.META.get("HTTP_ACCEPT_ENCODING", ""):
            return
        key = (request.path_info, response.get("ETag") or response.get("Last-Modified", ""))
        if key not in self._compressed:
            self._compressed[key] = gzip.compress(response.content, mtime=0)
        response.content = self._compressed[key]
        response["Content-Encoding"] = "gzip"
        response["Content-Length"] = str(len(response.content))


@sync_and_async_middleware
def static_files(get_response: Any) -> Any:
    """Answers paths under STATIC_URL that name a file; everything else passes."""
    files = StaticFiles()
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> Any:
            return files.answer(request) or await get_response(request)

        return answer_async

    def answer_sync(request: HttpRequest) -> Any:
        return files.answer(request) or get_response(request)

    return answer_sync
