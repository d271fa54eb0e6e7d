"""Reading what there is: agents, models, sessions, the state of the gateway."""

from __future__ import annotations

from agents.database import run_db
from agents.services import agent_create
from sessions.models import Person
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.people import signed_in
from tests.channels_app.gateway.run import KEY, session_make


async def test_it_works(door: Door) -> None:
    socket = await door.connect()
    health = await socket.call("health", {"probe": True})
    assert health["ok"] is True
    assert health["agents"][0]["agentId"] == "main"
    status = await socket.call("status", {"includeChannelSummary": False})
    assert status["runtimeVersion"] == socket.hello["server"]["version"]
    assert status["activeRuns"] == []


async def test_health_without_scopes_tells_nothing(door: Door) -> None:
    await session_make()
    socket = await door.connect(scopes=[])
    health = await socket.call("health")
    assert (health["agents"], health["sessions"]) == ([], {"count": 0, "recent": []})


async def test_agents(door: Door) -> None:
    await run_db(agent_create, name="Helper", slug="helper")
    socket = await door.connect()
    listed = await socket.call("agents.list", {})
    assert listed["defaultId"] == "main"
    assert [agent["id"] for agent in listed["agents"]] == ["main", "helper"]


async def test_models(door: Door) -> None:
    socket = await door.connect()
    models = (await socket.call("models.list", {"view": "default", "includeDetails": True}))[
        "models"
    ]
    assert models[0]["tags"] == ["default"]
    assert {"id", "name", "provider", "contextWindow"} <= set(models[0])
    assert await socket.call("models.list", {"provider": "nobody"}) == {"models": []}


async def test_sessions_are_listed_in_pages(door: Door) -> None:
    socket = await door.connect()
    for number in range(3):
        key = f"agent:main:s{number}"
        await socket.call("sessions.create", {"key": key, "label": f"Number {number}"})
    first = await socket.call("sessions.list", {"limit": 2})
    assert [row["label"] for row in first["sessions"]] == ["Number 2", "Number 1"]
    assert (first["hasMore"], first["nextOffset"], first["totalCount"]) == (True, 2, 3)
    rest = await socket.call("sessions.list", {"limit": 2, "offset": 2})
    assert [row["label"] for row in rest["sessions"]] == ["Number 0"]
    found = await socket.call("sessions.list", {"search": "number 1"})
    assert [row["key"] for row in found["sessions"]] == ["agent:main:s1"]


async def test_archived_sessions(door: Door) -> None:
    socket = await door.connect()
    await socket.call("sessions.create", {"key": "agent:main:old"})
    await socket.call("sessions.patch", {"key": "agent:main:old", "archived": True})
    assert (await socket.call("sessions.list", {}))["sessions"] == []
    for archived in (True, "all"):
        rows = (await socket.call("sessions.list", {"archived": archived}))["sessions"]
        assert [row["key"] for row in rows] == ["agent:main:old"]


async def test_a_patch_sets_and_clears(door: Door) -> None:
    socket = await door.connect()
    key = "agent:main:p"
    await socket.call("sessions.create", {"key": key, "label": "First"})
    patched = await socket.call(
        "sessions.patch", {"key": key, "thinkingLevel": "high", "queueMode": "steer"}
    )
    entry = patched["entry"]
    assert (entry["label"], entry["thinkingLevel"], entry["queueMode"]) == (
        "First",
        "high",
        "steer",
    )
    cleared = await socket.call("sessions.patch", {"key": key, "label": None})
    assert "label" not in cleared["entry"]
    error = await socket.refusal("sessions.patch", {"key": key, "model": "nope/none"})
    assert "nope" in error["message"]
    described = await socket.call("sessions.describe", {"key": key})
    assert described["session"]["thinkingLevel"] == "high"


async def test_what_is_not_there(door: Door) -> None:
    socket = await door.connect()
    assert await socket.call("sessions.describe", {"key": "agent:main:none"}) == {"session": None}
    error = await socket.refusal("sessions.delete", {"key": "agent:main:none"})
    assert (error["code"], error["details"]["code"]) == ("INVALID_REQUEST", "NOT_FOUND")
    error = await socket.refusal("sessions.patch", {"key": "main", "agentId": "other"})
    assert "does not match" in error["message"]


async def test_sessions_of_others_do_not_exist(door: Door) -> None:
    await session_make()
    _ada, cookie = await signed_in("ada")
    page = await door.page(cookie)
    assert (await page.call("sessions.list", {}))["sessions"] == []
    assert (await page.call("chat.history", {"sessionKey": KEY}))["messages"] == []
    assert (await page.call("sessions.describe", {"key": KEY}))["session"] is None
    send = {"sessionKey": KEY, "message": "hi", "idempotencyKey": "w"}
    for method, params in (
        ("chat.send", send),
        ("sessions.patch", {"key": KEY, "label": "Mine"}),
        ("sessions.delete", {"key": KEY}),
        ("sessions.reset", {"key": KEY}),
    ):
        error = await page.refusal(method, params)
        assert error["details"]["code"] == "NOT_FOUND", method


async def test_a_viewer_only_reads(door: Door) -> None:
    _ada, cookie = await signed_in("ada", Person.Role.VIEWER)
    page = await door.page(cookie)
    assert (await page.call("sessions.list", {}))["count"] == 0
    error = await page.refusal("sessions.create", {})
    assert error["message"] == "missing scope: operator.write"


async def test_a_reset_begins_another_transcript(door: Door) -> None:
    socket = await door.connect()
    await socket.call("sessions.create", {"key": KEY})
    one = await socket.call("sessions.reset", {"key": KEY})
    two = await socket.call("sessions.reset", {"key": KEY, "reason": "reset"})
    assert one["entry"]["sessionId"] != two["entry"]["sessionId"]
