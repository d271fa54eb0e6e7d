"""Approvals of a real gateway: over the control WebSocket, by /approve, and beside /v1."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.gateway_client import GatewayClient, RequestRefused, connected
from tests.platform.gateway import Gateway
from tests.sessions.approvals.asking import write

HOOK_KIND = "hook"


def named(event: str, **payload: Any) -> Any:
    """Whether an event is of that name and has these fields."""
    return lambda one: (
        one["event"] == event
        and all(one["payload"].get(name) == value for name, value in payload.items())
    )


async def asked(client: GatewayClient, key: str) -> dict[str, Any]:
    """The payload of the question of a session."""
    event = await client.until(named("exec.approval.requested", sessionKey=key))
    payload: dict[str, Any] = event["payload"]
    return payload


async def test_it_works(owner: GatewayClient, asking_gateway: Gateway, key: str) -> None:
    """Asked on every socket that may decide, answered on another one, told to both."""
    async with connected(asking_gateway.ws_url, asking_gateway.token) as other:
        run = await owner.send(key, write("ws.txt") + "[[final:written]]")
        question = await asked(other, key)
        assert (question["tool"], question["runId"], question["kind"]) == ("write", run, HOOK_KIND)
        assert question["request"]["sessionKey"] == key
        assert question["reason"] == "Write ws.txt?"
        listed: Any = await other.request("exec.approval.list", {"sessionKey": key})
        assert [one["id"] for one in listed] == [question["id"]]
        await other.request(
            "exec.approval.resolve", {"id": question["slug"], "decision": "allow-once"}
        )
        ended = await owner.ended(run)
        assert (ended.state, ended.text) == ("final", "written")
        resolved = await owner.until(named("exec.approval.resolved", id=question["id"]))
        assert resolved["payload"]["decision"] == "allow-once"
        one = await owner.request("exec.approval.get", {"id": question["id"]})
        assert (one["state"], one["resolvedThrough"]) == ("allow-once", "ws")
        with pytest.raises(RequestRefused, match="Too late"):
            await owner.request("exec.approval.resolve", {"id": question["id"], "decision": "deny"})


async def test_a_line_in_the_conversation(owner: GatewayClient, key: str) -> None:
    """Who watches the conversation sees how to answer, now and later."""
    run = await owner.send(key, write("line.txt"))
    await owner.request("sessions.messages.subscribe", {"key": key})
    slug = (await asked(owner, key))["slug"]
    answer = f"/approve {slug} allow-once | deny"
    await owner.until(
        lambda one: one["event"] == "session.message" and answer in json.dumps(one["payload"])
    )
    assert answer in json.dumps(await owner.history(key))
    await owner.turn(key, "/approve deny")
    assert "did not allow this call" in (await owner.ended(run)).text


async def test_by_command(owner: GatewayClient, key: str) -> None:
    """/approve passes the queue, in any conversation of the owner."""
    run = await owner.send(key, write("command.txt") + "[[final:written]]")
    question = await asked(owner, key)
    listed = await owner.turn(f"{key}-b", "/approve")
    assert f"/approve {question['slug']} allow-once|deny" in listed.text
    refused = await owner.turn(key, f"/approve {question['slug']} allow-always")
    assert "cannot be chosen here" in refused.text
    decided = await owner.turn(f"{key}-b", f"/approve {question['slug']} allow-once")
    assert decided.text == f"{question['slug']}: allowed once (write)."
    assert (await owner.ended(run)).text == "written"
    late = await owner.turn(key, f"/approve {question['slug']} deny")
    assert late.text.startswith("Too late")
    assert (await owner.turn(key, "/approve nothing deny")).text == (
        "There is no approval nothing."
    )


async def test_at_the_command_line(owner: GatewayClient, asking_gateway: Gateway, key: str) -> None:
    """Listed and denied; a command of an agent may not."""
    run = await owner.send(key, write("cli.txt"))
    slug = (await asked(owner, key))["slug"]
    listed = await asyncio.to_thread(asking_gateway.manage, "approvals", "list", "--json")
    assert slug in [one["slug"] for one in json.loads(listed)]
    answer = await asyncio.to_thread(asking_gateway.manage, "approvals", "resolve", slug, "deny")
    assert "denied" in answer
    assert "did not allow this call" in (await owner.ended(run)).text


async def test_a_program_asks(owner: GatewayClient) -> None:
    """Two phases: it was asked, then what was decided. The values of variables are not kept."""
    params = {
        "id": "Program-1",
        "commandArgv": ["git", "push", "a b"],
        "cwd": "/ws",
        "env": {"TOKEN": "hush"},
        "twoPhase": True,
    }
    accepted = await owner.request("exec.approval.request", params)
    assert (accepted["status"], accepted["id"]) == ("accepted", "Program-1")
    event = await owner.until(named("exec.approval.requested", id="Program-1"))
    request = event["payload"]["request"]
    assert (request["command"], request["envKeys"]) == ("git push 'a b'", ["TOKEN"])
    assert "hush" not in json.dumps(event)
    wait = asyncio.create_task(owner.request("exec.approval.waitDecision", {"id": "Program-1"}))
    await owner.request("exec.approval.resolve", {"id": "Program-1", "decision": "allow-always"})
    assert (await wait)["decision"] == "allow-always"
    with pytest.raises(RequestRefused, match="in use"):
        await owner.request("exec.approval.request", {"command": "x", "id": "Program-1"})
    with pytest.raises(RequestRefused, match="command is missing"):
        await owner.request("exec.approval.request", {"cwd": "/"})


async def test_nobody_answers_a_program(owner: GatewayClient) -> None:
    """The decision is null when the time is over."""
    answer = await owner.request("exec.approval.request", {"command": "ls", "timeoutMs": 50})
    assert answer["decision"] is None
    assert answer["expiresAtMs"] - answer["createdAtMs"] == 50


async def test_over_http(owner: GatewayClient, asking_gateway: Gateway) -> None:
    """A run of /v1 waits for the answer, and its connection with it."""
    url = f"{asking_gateway.url}/v1/chat/completions"
    headers = {"Authorization": f"Bearer {asking_gateway.token}"}
    message = {"role": "user", "content": write("http.txt") + "[[final:over http]]"}
    body = {"model": "openclaw", "messages": [message], "user": "approvals"}
    async with httpx.AsyncClient(timeout=60) as client:
        answer = asyncio.create_task(client.post(url, json=body, headers=headers))
        event = await owner.until(
            lambda one: (
                one["event"] == "exec.approval.requested"
                and one["payload"]["arguments"].get("path") == "http.txt"
            )
        )
        await owner.request(
            "exec.approval.resolve", {"id": event["payload"]["id"], "decision": "allow-once"}
        )
        said = (await answer).json()
    assert said["choices"][0]["message"]["content"] == "over http"
