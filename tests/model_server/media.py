"""Pictures and speech as vendors make them: OpenAI, Gemini's image models, ElevenLabs.

The directives of a prompt or text work as in a conversation: [[status:CODE]], [[status:CODE:K]],
[[because:TEXT]], [[delay:MS]], [[hang]]. Further ones: [[nothing]] answers without a file; of
videos [[checks:N]] says how often they are looked at before they are there, [[refused]] that they
never will be, [[uri]] that the file is at an address of its own.
"""

from __future__ import annotations

import asyncio
import base64
import re
import struct
import zlib
from types import ModuleType
from typing import Any, Protocol

from aiohttp import web

from tests.model_server import chat, google
from tests.model_server.conversation import Conversation
from tests.model_server.script import Script, script_parse

_FOREVER_SECONDS = 86_400
_CHECKS = re.compile(r"\[\[checks:(\d+)\]\]")


class Server(Protocol):
    """What is needed of the scripted server."""

    stats: Any

    def record(self, request: web.Request, body: Any) -> None:
        """Keeps a request."""

    def failure(
        self, script: Script, conversation: Conversation, dialect: ModuleType
    ) -> web.Response | None:
        """The HTTP error that the script wants now."""


def png(width: int = 64, height: int = 48, colour: tuple[int, int, int] = (200, 30, 30)) -> bytes:
    """A picture of one colour."""
    row = b"\0" + bytes(colour) * width
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(row * height)), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


MP3 = b"ID3\x04\x00\x00\x00\x00\x00\x00"
OGG = b"OggS\x00\x02"
MP4 = b"\x00\x00\x00\x18ftypmp42" + bytes(16)


class Media:
    """The addresses of media on one scripted server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        # What was asked for and how often it is still unfinished, by the name of the video.
        self._videos: dict[str, tuple[str, int]] = {}

    def routes(self, app: web.Application) -> None:
        """Adds them. Call it before the routes of conversations."""
        app.router.add_post("/v1/images/generations", self._images)
        app.router.add_post("/v1/images/edits", self._edits)
        app.router.add_post("/v1/audio/speech", self._speech)
        app.router.add_post("/v1/text-to-speech/{voice}", self._elevenlabs)
        image_call = "/{version:v1|v1beta}/models/{call:[^/]*image[^/]*:generateContent}"
        app.router.add_post(image_call, self._gemini)
        app.router.add_post("/v1beta/interactions", self._video_begin)
        app.router.add_get("/v1beta/interactions/{name}", self._video_look)
        app.router.add_get("/v1beta/files/video", self._video_file)
        # A picture as pages have them, for tools that fetch.
        app.router.add_get("/__picture", self._picture)

    async def _picture(self, request: web.Request) -> web.Response:
        return web.Response(body=png(), content_type="image/png")

    async def _refused(
        self, request: web.Request, body: Any, prompt: str, dialect: ModuleType
    ) -> web.Response | None:
        self._server.record(request, body)
        self._server.stats["media"] += 1
        script = script_parse(prompt)
        await asyncio.sleep(_FOREVER_SECONDS if script.hang else script.delay or 0)
        return self._server.failure(script, Conversation(user=prompt), dialect)

    async def _images(self, request: web.Request) -> web.Response:
        body = await request.json()
        refused = await self._refused(request, body, body["prompt"], chat)
        return refused or _openai_images(body["prompt"], body)

    async def _edits(self, request: web.Request) -> web.Response:
        form = await request.post()
        body: dict[str, Any] = {"files": []}
        for name, value in form.items():
            if isinstance(value, web.FileField):
                size = len(value.file.read())
                body["files"].append([name, value.filename, value.content_type, size])
            else:
                body[name] = value
        refused = await self._refused(request, body, body["prompt"], chat)
        return refused or _openai_images(body["prompt"], body)

    async def _speech(self, request: web.Request) -> web.Response:
        body = await request.json()
        if refused := await self._refused(request, body, body["input"], chat):
            return refused
        is_mp3 = body.get("response_format", "mp3") == "mp3"
        return _sound(body["input"], is_mp3=is_mp3)

    async def _elevenlabs(self, request: web.Request) -> web.Response:
        body = await request.json()
        about = {**body, "voice": request.match_info["voice"], **request.query}
        refused = await self._refused(request, about, body["text"], chat)
        if refused is not None:
            return refused
        if not request.headers.get("xi-api-key"):
            detail = {"status": "invalid_api_key", "message": "Invalid API key"}
            return web.json_response({"detail": detail}, status=401)
        return _sound(body["text"], is_mp3=request.query["output_format"].startswith("mp3"))

    async def _gemini(self, request: web.Request) -> web.Response:
        body = await request.json()
        parts = body["contents"][0]["parts"]
        prompt = " ".join(part["text"] for part in parts if "text" in part)
        if refused := await self._refused(request, body, prompt, google):
            return refused
        said: list[dict[str, Any]] = [{"text": "Here it is."}]
        if "[[nothing]]" not in prompt:
            data = base64.b64encode(png()).decode()
            said.append({"inlineData": {"mimeType": "image/png", "data": data}})
        candidate = {"content": {"role": "model", "parts": said}, "finishReason": "STOP"}
        return web.json_response({"candidates": [candidate]})

    async def _video_begin(self, request: web.Request) -> web.Response:
        body = await request.json()
        prompt = body["input"][-1]["text"]
        if refused := await self._refused(request, body, prompt, google):
            return refused
        name = f"v1_video{len(self._videos)}"
        found = _CHECKS.search(prompt)
        self._videos[name] = (prompt, int(found[1]) if found else 0)
        return web.json_response({"id": name, "status": "in_progress", "object": "interaction"})

    async def _video_look(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        self._server.record(request, {})
        if name not in self._videos:
            return web.json_response(google.error(404, "no such interaction"), status=404)
        prompt, left = self._videos[name]
        self._videos[name] = (prompt, left - 1)
        about = {"id": name, "object": "interaction"}
        if left > 0:
            return web.json_response({**about, "status": "in_progress"})
        if "[[refused]]" in prompt:
            errors = [{"code": 3, "message": "The prompt shows a real person."}]
            return web.json_response({**about, "status": "failed", "errors": errors})
        data = {"data": base64.b64encode(MP4).decode()}
        if "[[uri]]" in prompt:
            data = {"uri": f"http://{request.host}/v1beta/files/video"}
        if "[[elsewhere]]" in prompt:
            data = {"uri": "http://127.0.0.1:9/v1beta/files/video"}
        content = [{"type": "video", "mime_type": "video/mp4", **data}]
        steps = [{"type": "thought"}, {"type": "model_output", "content": content}]
        return web.json_response({**about, "status": "completed", "steps": steps})

    async def _video_file(self, request: web.Request) -> web.Response:
        self._server.record(request, {})
        if not request.headers.get("x-goog-api-key"):
            return web.json_response(google.error(401, "no key"), status=401)
        return web.Response(body=MP4, content_type="video/mp4")


def _openai_images(prompt: str, body: dict[str, Any]) -> web.Response:
    count = 0 if "[[nothing]]" in prompt else int(body.get("n", 1))
    data = [{"b64_json": base64.b64encode(png()).decode()} for _ in range(count)]
    usage = {
        "input_tokens": 5,
        "input_tokens_details": {"image_tokens": 0, "text_tokens": 5},
        "output_tokens": 100,
        "total_tokens": 105,
    }
    answer = {"created": 1, "data": data, "output_format": "png", "usage": usage}
    return web.json_response(answer)


def _sound(text: str, *, is_mp3: bool) -> web.Response:
    if "[[nothing]]" in text:
        return web.Response(body=b"", content_type="audio/mpeg")
    head, kind = (MP3, "audio/mpeg") if is_mp3 else (OGG, "audio/ogg")
    return web.Response(body=head + text.encode(), content_type=kind)
