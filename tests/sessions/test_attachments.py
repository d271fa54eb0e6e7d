"""Files that come with a message."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.gateway_client import GatewayClient, RequestRefused, text_of
from tests.model_server.fixture import ModelServer
from tests.platform.gateway import Gateway

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
# A model that takes images, as the catalog knows.
SEES = "openai/gpt-5.4"


def attached(name: str, kind: str, data: bytes) -> dict[str, Any]:
    """A file as a client sends it."""
    return {"fileName": name, "mimeType": kind, "content": base64.b64encode(data).decode()}


def asked(model_server: ModelServer, key: str) -> list[dict[str, Any]]:
    """The messages of the newest request that held `key`."""
    bodies = [request["body"] for request in model_server.requests()]
    found: list[dict[str, Any]] = [b for b in bodies if key in str(b.get("messages"))][-1][
        "messages"
    ]
    return found


async def test_it_works(client: GatewayClient, key: str, model_server: ModelServer) -> None:
    """An image reaches the model as an image; the history leaves its bytes out."""
    image = attached("dot.png", "image/png", PNG)
    ended = await client.turn(key, f"[[echo:seen]] {key}", attachments=[image], model=SEES)
    assert ended.text == "seen"
    content = asked(model_server, key)[-1]["content"]
    urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    assert urls == ["data:image/png;base64," + base64.b64encode(PNG).decode()]
    assert base64.b64encode(PNG).decode()[:40] not in str(await client.history(key))


async def test_the_next_turn_still_sees_it(
    client: GatewayClient, key: str, model_server: ModelServer
) -> None:
    """It is part of the conversation."""
    await client.turn(key, "look", attachments=[attached("dot.png", "image/png", PNG)])
    await client.turn(key, f"[[echo:again]] {key}", model=SEES)
    assert "image_url" in str(asked(model_server, key))


async def test_text_is_read_out(client: GatewayClient, key: str, model_server: ModelServer) -> None:
    """A small text file stands in the message itself."""
    note = attached("note.txt", "text/plain", "Grüße\n".encode())
    await client.turn(key, f"[[echo:read]] {key}", attachments=[note])
    assert "Grüße" in str(asked(model_server, key)[-1]["content"])
    assert '<file name="note.txt">' in text_of((await client.history(key))[0])


async def test_other_files_are_put_into_the_workspace(
    client: GatewayClient, key: str, shared_gateway: Gateway
) -> None:
    """The model is told the place, and the bytes are there."""
    data = bytes(range(256))
    await client.turn(key, "keep it", attachments=[attached("data.bin", "a/b", data)])
    text = text_of((await client.history(key))[0])
    place = next(word for word in text.split() if word.startswith("inbox/"))
    assert place.endswith("-data.bin")
    assert (shared_gateway.home / "workspace" / place).read_bytes() == data


async def test_without_text(client: GatewayClient, key: str) -> None:
    """A file alone is a message."""
    note = attached("note.txt", "text/plain", b"[[echo:only a file]]")
    assert (await client.turn(key, "", attachments=[note])).text.startswith("only a file")


async def test_several_keep_their_order(client: GatewayClient, key: str) -> None:
    """Also over merged messages."""
    run = await client.send(key, "[[delay:500]]")
    await client.until(lambda event: event["payload"].get("runId") == run)
    for number in range(2):
        files = [attached(f"{number}{one}.txt", "text/plain", b"x") for one in "ab"]
        last = await client.send(key, f"see {number}", attachments=files, queueMode="collect")
    await client.ended(last)
    text = text_of((await client.history(key))[2])
    places = [text.index(name) for name in ("0a.txt", "0b.txt", "1a.txt", "1b.txt")]
    assert places == sorted(places)


async def test_a_steered_message_brings_its_files(client: GatewayClient, key: str) -> None:
    """Files may join a running turn, too."""
    run = await client.send(key, '[[tool:exec {"command":"sleep 0.5"}]]')
    await client.until_tool(run)
    note = attached("late.txt", "text/plain", b"just in time")
    steered = await client.send(key, "[[echo:ok]]", attachments=[note], queueMode="steer")
    assert (await client.ended(steered)).payload["mergedInto"] == run
    assert "just in time" in text_of((await client.history(key))[3])


@pytest.mark.parametrize(
    ("attachment", "words"),
    [
        ({"content": "not base64!"}, r"attachments\[0\].content is not base64"),
        ({"content": ""}, r"attachments\[0\] needs an id"),
        ({"id": "nothing"}, r"attachments\[0\]: there is no uploaded file"),
    ],
)
async def test_refused(
    client: GatewayClient, key: str, attachment: dict[str, str], words: str
) -> None:
    """The attachment is named, and no message is stored."""
    with pytest.raises(RequestRefused, match=words):
        await client.send(key, "hello", attachments=[attachment])
    assert await client.history(key) == []
