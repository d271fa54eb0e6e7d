"""What every client of the gateway does, whatever carries its frames."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import orjson

TIMEOUT = 10.0
Frame = dict[str, Any]
Match = Callable[[dict[str, Any]], bool]


class CallFailed(Exception):
    """A request was answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.error = error


class GatewayClient:
    """Requests and events of one connection. Events that nobody asked for yet are in `events`."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self.events: list[Frame] = []
        self.answers: list[Frame] = []
        self.challenge: dict[str, Any] = {}
        self.hello: dict[str, Any] = {}
        self.close_code: int | None = None
        self.close_reason = ""

    async def send(self, text: str) -> None:
        """Sends one text frame as it stands."""
        raise AssertionError("a client says how it sends")

    async def frame(self) -> Frame:
        """The next frame. Raises ConnectionError when the socket is closed instead."""
        raise AssertionError("a client says how it receives")

    async def request(self, method: str, params: Any = None, **top: Any) -> str:
        """Sends a request and returns its id."""
        request_id = str(next(self._ids))
        frame = {"type": "req", "id": request_id, "method": method, **top}
        if params is not None:
            frame["params"] = params
        await self.send(orjson.dumps(frame).decode())
        return request_id

    async def answer(self, request_id: str) -> Frame:
        """The next answer to a request; events that come before it are kept."""
        while True:
            for frame in self.answers:
                if frame["id"] == request_id:
                    self.answers.remove(frame)
                    return frame
            self._keep(await self.frame())

    async def call(self, method: str, params: Any = None) -> Any:
        """The payload of the answer. Raises CallFailed."""
        answer = await self.answer(await self.request(method, params))
        if not answer["ok"]:
            raise CallFailed(answer["error"])
        return answer["payload"]

    async def refusal(self, method: str, params: Any = None) -> dict[str, Any]:
        """The error of a request that must fail."""
        answer = await self.answer(await self.request(method, params))
        assert not answer["ok"], answer
        found: dict[str, Any] = answer["error"]
        return found

    async def event(
        self, name: str, match: Callable[[dict[str, Any]], bool] | None = None
    ) -> Frame:
        """The first event of this name (and content) that was not returned yet."""
        while True:
            for frame in self.events:
                if frame["event"] == name and (match is None or match(frame["payload"])):
                    self.events.remove(frame)
                    return frame
            self._keep(await self.frame())

    async def chat(self, state: str, run_id: str) -> dict[str, Any]:
        """The payload of the chat event with this state of this run."""
        frame = await self.event(
            "chat", lambda payload: payload["runId"] == run_id and payload["state"] == state
        )
        found: dict[str, Any] = frame["payload"]
        return found

    def _keep(self, frame: Frame) -> None:
        (self.answers if frame["type"] == "res" else self.events).append(frame)

    async def closed(self) -> tuple[int, str]:
        """Reads until the server closes; the code and the reason."""
        try:
            while True:
                self._keep(await self.frame())
        except ConnectionError:
            assert self.close_code is not None
            return self.close_code, self.close_reason

    async def settle(self) -> list[Frame]:
        """All events up to now: what was published before is there, because answers come after."""
        await self.call("health")
        found, self.events = self.events, []
        return found
