"""Where tools of media get files from: the workspace, a data: address, the web."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from agents.core.abort import AbortSignal
from agents.core.errors import PolicyDenied, ToolError
from agents.database import run_db
from tools.media.places import Place
from tools.net.fetch import Fetcher, FetchLimits
from tools.net.hosts import Resolver, system_resolver
from tools.web.abortable import abortable
from tools.web.settings import FetchSettings, web_settings

_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Source:
    """A file as bytes. `name` is for people; `outside` says that it came from the web."""

    data: bytes = field(repr=False)
    name: str
    outside: bool = False


@dataclass(frozen=True, slots=True)
class SourceReader:
    """Reads sources for one call of a tool. Sizes in bytes."""

    place: Place
    signal: AbortSignal
    most_bytes: int
    resolver: Resolver = system_resolver

    async def read_all(self, given: Sequence[str], field_name: str) -> list[Source]:
        """Each source, in order. Raises ToolError that names the one that cannot be had."""
        # One after the other: together they might take far more memory than one call may.
        return [await self.read(one, field_name) for one in given]

    async def read(self, given: str, field_name: str) -> Source:
        """The file that `given` names. Raises ToolError."""
        scheme = given.partition(":")[0].lower() if ":" in given[:8] else ""
        if scheme == "data":
            return self._checked(Source(_data(given, field_name), "data:"), field_name)
        if scheme in ("http", "https"):
            return await self._fetched(given, field_name)
        path = unquote(urlsplit(given).path) if scheme == "file" else given
        return await asyncio.to_thread(self._file, path, field_name)

    def _file(self, path: str, field_name: str) -> Source:
        try:
            found = self.place.read(path, self.most_bytes)
            if found.data is None:
                raise self._too_large(field_name, found.shown, found.size)
            return Source(found.data, found.shown)
        except ToolError as error:
            text = error.message.removeprefix("path: ")
            raise ToolError(f"{field_name}: {text.removeprefix(field_name + ': ')}") from error

    async def _fetched(self, url: str, field_name: str) -> Source:
        settings = (await run_db(web_settings)).fetch
        fetcher = _fetcher(settings, self.most_bytes, self.resolver)
        try:
            found = await abortable(fetcher.fetch(url), self.signal)
        except PolicyDenied as denied:
            text = f"{field_name}: {denied.message}"
            raise ToolError(text, details={"code": denied.code}) from denied
        if found.is_error:
            raise ToolError(f"{field_name}: {url[:_SHOWN]!r} was answered with {found.status}.")
        if found.cut:
            raise self._too_large(field_name, url[:_SHOWN], None)
        return Source(found.body, url[:_SHOWN], outside=True)

    def _checked(self, source: Source, field_name: str) -> Source:
        if len(source.data) > self.most_bytes:
            raise self._too_large(field_name, source.name, len(source.data))
        return source

    def _too_large(self, field_name: str, name: str, size: int | None) -> ToolError:
        has = "more" if size is None else f"{size:,} bytes"
        return ToolError(
            f"{field_name}: {name!r} has {has}; at most {self.most_bytes:,} bytes are taken "
            "(maxBytesMb)."
        )


def _fetcher(settings: FetchSettings, most_bytes: int, resolver: Resolver) -> Fetcher:
    limits = FetchLimits(
        seconds=settings.timeout_seconds, bytes=most_bytes, redirects=settings.max_redirects
    )
    policy = settings.ssrf_policy.network_policy()
    fetcher = Fetcher(policy, limits, {"user-agent": settings.user_agent})
    return replace(fetcher, resolver=resolver)


def _data(given: str, field_name: str) -> bytes:
    head, comma, body = given.partition(",")
    if not comma:
        raise ToolError(f"{field_name}: a data: address needs a comma before its content.")
    if not head.lower().endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode("".join(body.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ToolError(f"{field_name}: the content of the data: address is not base64.") from error


def sources_named(
    arguments: Mapping[str, Any], one: str, many: str, *, most: int
) -> tuple[str, ...]:
    """The sources under the names `one` (text) and `many` (list), each once, in order.

    Raises ToolError for anything but texts, and for more than `most`.
    """
    single, several = arguments.get(one), arguments.get(many)
    if single is not None and not isinstance(single, str):
        raise ToolError(f"{one}: expected text, got {type(single).__name__}.")
    if several is not None and not isinstance(several, list):
        raise ToolError(f"{many}: expected a list of texts, got {type(several).__name__}.")
    given = [*([single] if single else []), *(several or ())]
    for item in given:
        if not isinstance(item, str) or not item.strip():
            raise ToolError(f"{many}: each must be a path or an address.")
    found = tuple(dict.fromkeys(item.strip().removeprefix("@") for item in given))
    if len(found) > most:
        raise ToolError(f"{many}: at most {most} are taken at once, got {len(found)}.")
    return found


def megabytes_argument(arguments: Mapping[str, Any], default: float, *, most: float) -> int:
    """`maxBytesMb` in bytes, no more than `most` megabytes. Raises ToolError."""
    value = arguments.get("maxBytesMb")
    if value is None:
        value = default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise ToolError(f"maxBytesMb: expected a number above 0, got {value!r}.")
    return int(min(float(value), most) * 1024 * 1024)
