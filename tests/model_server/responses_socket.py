"""The WebSocket of Responses: `response.create` in, events out, one answer after the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from aiohttp import WSMsgType, web

from tests.model_server import responses
from tests.model_server.answer import Answer, answer_build
from tests.model_server.odd import odd_calls
from tests.model_server.script import Script, script_parse

if TYPE_CHECKING:
    from tests.model_server.server import ScriptedModel

_FOREVER_SECONDS = 86_400


class ResponsesSocket:
    """One connection. Each request is counted and recorded as one by POST would be."""

    def __init__(self, model: ScriptedModel, request: web.Request) -> None:
        self._model = model
        self._request = request
        self._socket = web.WebSocketResponse(max_msg_size=0)

    async def serve(self) -> web.WebSocketResponse:
        """Answers until the other side goes away."""
        await self._socket.prepare(self._request)
        self._model.stats["sockets"] += 1
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT:
                break
            try:
                await self._counted(json.loads(message.data))
            except ConnectionError:
                break
        return self._socket

    async def _counted(self, body: dict[str, Any]) -> None:
        with self._model.counted(responses):
            self._model.record(self._request, body)
            await self._answer(body)

    async def _answer(self, body: dict[str, Any]) -> None:
        conversation = responses.read(body)
        script = script_parse(conversation.user)
        await asyncio.sleep(self._model.delay if script.delay is None else script.delay)
        if script.hang:
            await asyncio.sleep(_FOREVER_SECONDS)
        failed = self._model.failure(script, conversation, responses)
        if failed is not None:
            kind = {"type": "error", "status": failed.status, "headers": dict(failed.headers)}
            await self._socket.send_json({**kind, **json.loads(failed.text or "{}")})
        elif script.odd in responses.odd and not conversation.results:
            odd = responses.odd[script.odd](odd_calls(script))
            await self._send_frames(_texts(odd.frames))
            await self._end(cut=odd.cut)
        else:
            await self._send(script, answer_build(script, conversation, self._model.default), body)

    async def _send(self, script: Script, answer: Answer, body: dict[str, Any]) -> None:
        sent = 0
        for kind, frame in responses.stream(answer, body):
            if kind == "word":
                if sent == script.drop:
                    await self._end(cut=True)
                    return
                if sent == script.stall:
                    await asyncio.sleep(_FOREVER_SECONDS)
                await asyncio.sleep(answer.gap if sent else 0)
                sent += 1
            await self._send_frames(_texts([frame]))

    async def _send_frames(self, texts: Sequence[str]) -> None:
        for text in texts:
            await self._socket.send_str(text)

    async def _end(self, *, cut: bool) -> None:
        """Breaks the connection, or closes it as it should be."""
        if not cut:
            await self._socket.close()
            return
        await asyncio.sleep(0.02)
        if self._request.transport is not None:
            cast(asyncio.WriteTransport, self._request.transport).abort()


def _texts(frames: Sequence[bytes]) -> list[str]:
    """The data of server-sent events, which are the frames here; comments have no place."""
    found = []
    for block in b"".join(frames).replace(b"\r\n", b"\n").split(b"\n\n"):
        lines = [line for line in block.split(b"\n") if line.startswith(b"data:")]
        if lines:
            found.append(lines[0].removeprefix(b"data:").strip().decode())
        elif block.strip() and not block.startswith((b":", b"event:")):
            found.append(block.decode())
    return found
