"""Bad frames after hello are answered, and the socket stays open."""

from __future__ import annotations

import json
import random
from typing import Any

import orjson
import pytest

from tests.channels_app.gateway.conftest import Door

SEND = {"sessionKey": "main", "message": "hi", "idempotencyKey": "k"}


async def test_it_works(door: Door) -> None:
    socket = await door.connect()
    error = await socket.refusal("no.such.method", {})
    assert error == {"code": "INVALID_REQUEST", "message": "unknown method: no.such.method"}
    assert (await socket.call("health"))["ok"] is True


PARAMS = [
    ("chat.send", {**SEND, "bogus": 1}, "at root: unexpected property 'bogus'"),
    ("chat.send", {"message": "x"}, "at root: must have required property 'sessionKey'"),
    ("chat.send", {**SEND, "message": 5}, "at /message: must be string"),
    ("chat.send", {**SEND, "timeoutMs": -1}, "at /timeoutMs: must be >= 0"),
    ("chat.send", {**SEND, "timeoutMs": 1.5}, "at /timeoutMs: must be integer"),
    (
        "chat.send",
        {**SEND, "attachments": [{"bogus": 1}]},
        "at /attachments/0: unexpected property 'bogus'",
    ),
    (
        "chat.send",
        {**SEND, "idempotencyKey": ""},
        "at /idempotencyKey: must NOT have fewer than 1 characters",
    ),
    ("chat.history", {"sessionKey": "main", "limit": 1001}, "at /limit: must be <= 1000"),
    ("chat.history", "main", "at root: must be object"),
    ("chat.history", [], "at root: must be object"),
    ("sessions.list", {"archived": 7}, "at /archived"),
    ("agent.wait", {}, "at root: must have required property 'runId'"),
]


@pytest.mark.parametrize(("method", "params", "text"), PARAMS)
async def test_bad_params(door: Door, method: str, params: Any, text: str) -> None:
    socket = await door.connect()
    error = await socket.refusal(method, params)
    assert error["code"] == "INVALID_REQUEST"
    assert error["message"].startswith(f"invalid {method} params: {text}"[:60])
    assert text in error["message"]


FRAMES = [
    ("nonsense", "invalid", "not a JSON object"),
    ("[1]", "invalid", "at root: must be object"),
    ('{"type":"req","id":"7"}', "7", "must have required property 'method'"),
    ('{"type":"evt","id":"8","method":"health"}', "8", "at /type: must be equal to one"),
    ('{"type":"req","id":"9","method":"health","x":1}', "9", "unexpected property 'x'"),
    ('{"type":"req","id":5,"method":"health"}', "invalid", "at /id: must be string"),
    ('{"type":"req","id":"","method":"health"}', "invalid", "at /id: must NOT have fewer"),
]


@pytest.mark.parametrize(("text", "request_id", "reason"), FRAMES)
async def test_bad_frames(door: Door, text: str, request_id: str, reason: str) -> None:
    socket = await door.connect()
    await socket.send(text)
    answer = await socket.answer(request_id)
    assert answer["ok"] is False
    assert answer["error"]["message"].startswith("invalid request frame: ")
    assert reason in answer["error"]["message"]
    assert (await socket.call("health"))["ok"] is True


async def test_repeated_unauthorized_calls_close(door: Door) -> None:
    door.limit(unauthorized_in_a_row=3)
    socket = await door.connect(scopes=["operator.read"])
    for _ in range(3):
        await socket.refusal("chat.abort", {"sessionKey": "main"})
    # An allowed call in between begins the count anew.
    await socket.call("health")
    for _ in range(4):
        await socket.request("chat.abort", {"sessionKey": "main"})
    assert await socket.closed() == (1008, "repeated unauthorized calls")


async def test_requests_run_beside_each_other(door: Door) -> None:
    door.limit(requests_in_flight=2)
    socket = await door.connect()
    waits = [
        await socket.request("agent.wait", {"runId": f"none-{n}", "timeoutMs": 60_000})
        for n in range(2)
    ]
    error = await socket.refusal("health")
    assert error["code"] == "UNAVAILABLE"
    assert error["retryable"] is True
    assert len(waits) == 2


async def test_a_frame_larger_than_promised_closes(door: Door) -> None:
    door.limit(max_payload=10_000, max_preauth_payload=10_000)
    socket = await door.connect()
    await socket.send(orjson.dumps({"type": "req", "id": "1", "method": "x" * 10_000}).decode())
    assert await socket.closed() == (1009, "payload too large")


async def test_traceparent_is_allowed(door: Door) -> None:
    socket = await door.connect()
    request = await socket.request("health", {}, traceparent="00-ab-cd-01")
    assert (await socket.answer(request))["ok"] is True


async def test_many_odd_frames_leave_the_socket_open(door: Door) -> None:
    chance = random.Random(20261130)
    socket = await door.connect()
    for _ in range(500):
        await socket.send(_odd_frame(chance))
    assert (await socket.call("health"))["ok"] is True


def _odd_frame(chance: random.Random) -> str:
    """A request in which something is wrong, most of the time."""
    odd: list[Any] = [
        None,
        True,
        -1,
        10**30,
        1e308,
        "",
        "x" * 1000,
        "\x00",
        "\u202e",
        [],
        [[]],
        {},
        {"a": {}},
    ]
    methods = ["health", "chat.history", "sessions.list", "agents.list", "sessions.describe"]
    frame: dict[Any, Any] = {
        "type": chance.choice(["req", "res", *odd]),
        "id": chance.choice(["odd", *odd]),
        "method": chance.choice([*methods, *odd]),
        "params": chance.choice([{}, {"sessionKey": chance.choice(odd)}, {"key": "main"}, *odd]),
    }
    if chance.random() < 0.3:
        frame[chance.choice(["extra", "id", "", "__proto__"])] = chance.choice(odd)
    text = json.dumps(frame)
    if chance.random() < 0.2:
        text = text[: chance.randrange(len(text))]
    return text
