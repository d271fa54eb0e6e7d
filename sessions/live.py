"""The live record of a session: what its pages show while a turn runs.

Each session has a capped Redis stream `oc:s:<id>`; every record is also published on `oc:live` as
`<session id> <position> <json>`. The stream is not the truth: the database is. Emitting never
raises, and a reader that missed something asks the database.

A position is `<epoch>:<stream id>`. The epoch changes when Redis lost its memory; positions of
different epochs cannot be compared, so the reader starts over.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

import orjson
import redis
import structlog

from agents.core.messages import now_ms
from sessions.redis_client import redis_async, redis_sync

log = structlog.get_logger(__name__)

CHANNEL = "oc:live"
CONTROL = "oc:control"
EPOCH = "oc:epoch"
# About 60 s of a fast stream at one record every 30 ms; older readers start over.
KEPT_RECORDS = 2000
KEPT_SECONDS = 86_400

# KEYS: stream, info hash, text, epoch. ARGV: session, json, kept, seconds, fresh epoch, fence,
# change ("", "open", "text", "close"), value. A record of a lower fence than the last one comes
# from a worker that lost the session and is dropped.
_EMIT = """
local fence = tonumber(ARGV[6])
if fence > 0 then
  local known = tonumber(redis.call('HGET', KEYS[2], 'fence') or '0')
  if fence < known then return false end
end
local epoch = redis.call('GET', KEYS[4])
if not epoch then
  epoch = ARGV[5]
  redis.call('SET', KEYS[4], epoch)
end
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], '*', 'r', ARGV[2])
local position = epoch .. ':' .. id
if ARGV[7] == 'open' then
  redis.call('SET', KEYS[3], ARGV[8])
elseif ARGV[7] == 'text' then
  redis.call('APPEND', KEYS[3], ARGV[8])
end
if ARGV[7] == 'close' then
  redis.call('DEL', KEYS[3])
  redis.call('HDEL', KEYS[2], 'run', 'wire', 'seq', 'position')
  redis.call('EXPIRE', KEYS[1], ARGV[4])
  redis.call('EXPIRE', KEYS[2], ARGV[4])
elseif fence > 0 then
  redis.call('HSET', KEYS[2], 'fence', ARGV[6], 'run', ARGV[9], 'wire', ARGV[10],
             'seq', ARGV[11], 'position', position)
end
redis.call('PUBLISH', 'oc:live', ARGV[1] .. ' ' .. position .. ' ' .. ARGV[2])
return position
"""

# SHA-1 is how Redis names scripts.
_EMIT_SHA = hashlib.sha1(_EMIT.encode(), usedforsecurity=False).hexdigest()


def _keys(session_id: str) -> list[str]:
    return [f"oc:s:{session_id}", f"oc:i:{session_id}", f"oc:x:{session_id}", EPOCH]


def _arguments(
    session_id: str, record: dict[str, Any], change: str, value: str
) -> list[str | bytes | int]:
    return [
        session_id,
        orjson.dumps(record),
        KEPT_RECORDS,
        KEPT_SECONDS,
        secrets.token_hex(4),
        record.get("fence", 0),
        change,
        value,
        record.get("run", ""),
        record.get("wire", ""),
        record.get("seq", 0),
    ]


Emission = tuple[dict[str, Any], str, str]


async def records_emit(*, session_id: str, records: Sequence[Emission]) -> None:
    """Shows records of a running turn in one round trip. Never raises.

    Each comes with a change of the running text: "open" sets it to the value, "text" appends the
    value, "close" forgets it, "" leaves it.
    """
    keys = _keys(session_id)
    calls = [_arguments(session_id, *record) for record in records]
    try:
        if await _run_scripts(keys, calls):
            return
        await redis_async().script_load(_EMIT)
        await _run_scripts(keys, calls)
    except (redis.RedisError, OSError) as error:
        log.warning("live.emit_failed", session=session_id, records=len(records), error=str(error))


async def _run_scripts(keys: list[str], calls: list[list[str | bytes | int]]) -> bool:
    """Runs the script for each call; False when Redis does not know it."""
    async with redis_async().pipeline(transaction=False) as pipe:
        for arguments in calls:
            pipe.evalsha(_EMIT_SHA, len(keys), *keys, *arguments)
        results = await pipe.execute(raise_on_error=False)
    for result in results:
        if isinstance(result, redis.exceptions.NoScriptError):
            return False
        if isinstance(result, Exception):
            raise result
    return True


def record_emit_sync(*, session_id: str, record: dict[str, Any]) -> None:
    """The same for threads, for records that belong to no running turn. Never raises."""
    record.setdefault("ts", now_ms())
    try:
        client = redis_sync()
        client.register_script(_EMIT)(
            keys=_keys(session_id), args=_arguments(session_id, record, "", "")
        )
    except (redis.RedisError, OSError) as error:
        log.warning("live.emit_failed", session=session_id, kind=record.get("t"), error=str(error))


def control_publish(message: dict[str, Any]) -> None:
    """Tells every process something that must act at once (a stop, say). Never raises."""
    try:
        redis_sync().publish(CONTROL, orjson.dumps(message))
    except (redis.RedisError, OSError) as error:
        log.warning("live.control_failed", error=str(error))


def settings_changed() -> None:
    """Tells every process to read its settings anew. Never raises."""
    control_publish({"t": "settings"})


def credentials_changed() -> None:
    """Tells every process to look anew which credentials rest. Never raises."""
    control_publish({"t": "credentials"})


async def stream_after(session_id: str, position: str) -> list[tuple[str, dict[str, Any]]] | None:
    """All records after `position`, oldest first; None when the reader must start over.

    Raises redis.RedisError when Redis is away.
    """
    client = redis_async()
    epoch, _, after = position.partition(":")
    current = await client.get(EPOCH)
    if current is None or _text(current) != epoch or not after:
        return None
    first: Any = await client.xrange(f"oc:s:{session_id}", count=1)
    if not first or not _not_after(first[0][0].decode(), after):
        return None
    rows: Any = await client.xrange(f"oc:s:{session_id}", min=f"({after}")
    return [(f"{epoch}:{row[0].decode()}", orjson.loads(row[1][b"r"])) for row in rows]


def _not_after(one: str, other: str) -> bool:
    """Whether stream id `one` is not later than `other`."""
    return _stream_id(one) <= _stream_id(other)


def _text(raw: bytes | str) -> str:
    # redis-py answers in bytes unless told otherwise; its types leave both open.
    return raw if isinstance(raw, str) else raw.decode()


def _stream_id(text: str) -> tuple[int, int]:
    time, _, number = text.partition("-")
    return int(time), int(number or 0)


async def inflight(session_id: str) -> dict[str, Any] | None:
    """The running turn as shown so far: run, wire, text, seq, position; None when none runs.

    Raises redis.RedisError when Redis is away.
    """
    async with redis_async().pipeline(transaction=True) as pipe:
        pipe.hgetall(f"oc:i:{session_id}")
        pipe.get(f"oc:x:{session_id}")
        info, text = await pipe.execute()
    if not info or b"run" not in info or text is None:
        return None
    return {
        "run": info[b"run"].decode(),
        "wire": info[b"wire"].decode(),
        "seq": int(info[b"seq"]),
        "position": info[b"position"].decode(),
        "text": text.decode("utf-8", "replace"),
    }


async def position_now(session_id: str) -> str:
    """The position of the session's newest record, "" when there is none."""
    client = redis_async()
    epoch = await client.get(EPOCH)
    rows: Any = await client.xrevrange(f"oc:s:{session_id}", count=1)
    return f"{_text(epoch)}:{rows[0][0].decode()}" if epoch and rows else ""
