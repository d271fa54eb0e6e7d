"""Sending again from an earlier place: the old branch stays stored and leaves the history."""

from __future__ import annotations

import uuid

from tests.channels_app.gateway.ws_client import connected, text_of
from tests.platform.gateway import Gateway


async def test_it_works(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = f"agent:main:again-{uuid.uuid4().hex[:8]}"
        await socket.ask(key, "[[echo:one]]", str(uuid.uuid4()))
        await socket.ask(key, "[[echo:two]]", str(uuid.uuid4()))
        before = (await socket.call("chat.history", {"sessionKey": key}))["messages"]
        parent = before[2]["__openclaw"]["parentId"]
        assert parent == before[1]["__openclaw"]["id"]
        final = await socket.ask(
            key, "[[echo:three]]", str(uuid.uuid4()), expectedLeafEntryId=parent
        )
        assert text_of(final) == "three"
        after = (await socket.call("chat.history", {"sessionKey": key}))["messages"]
        said = [text_of({"message": row}) for row in after if row["role"] == "assistant"]
        assert said == ["one", "three"]


async def test_from_the_very_beginning(model_gateway: Gateway) -> None:
    async with connected(model_gateway) as socket:
        key = f"agent:main:again-{uuid.uuid4().hex[:8]}"
        await socket.ask(key, "[[echo:one]]", str(uuid.uuid4()))
        await socket.ask(key, "[[echo:two]]", str(uuid.uuid4()), expectedLeafEntryId="")
        history = await socket.call("chat.history", {"sessionKey": key})
        assert [row["role"] for row in history["messages"]] == ["user", "assistant"]
