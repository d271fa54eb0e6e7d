"""The shared token is the owner, with the scopes it asks for."""

from __future__ import annotations

import pytest

from tests.channels_app.gateway.client import CallFailed
from tests.channels_app.gateway.conftest import Door, configure
from tests.channels_app.gateway.params import ALL_SCOPES, HOST, connect_params


async def test_it_works(door: Door) -> None:
    socket = await door.connect()
    hello = socket.hello
    assert hello["type"] == "hello-ok"
    assert hello["protocol"] == 4
    assert hello["auth"] == {"method": "token", "role": "operator", "scopes": ALL_SCOPES}
    assert "chat.send" in hello["features"]["methods"]
    assert hello["snapshot"]["sessionDefaults"]["mainSessionKey"] == "agent:main:main"
    assert hello["policy"]["maxPayload"] == 8 * 1024 * 1024
    assert (await socket.call("health"))["ok"] is True


async def test_scopes_are_those_asked_for(door: Door) -> None:
    socket = await door.connect(scopes=["operator.read"])
    assert socket.hello["auth"]["scopes"] == ["operator.read"]
    params = {"sessionKey": "main", "message": "hi", "idempotencyKey": "k"}
    error = await socket.refusal("chat.send", params)
    assert error["code"] == "FORBIDDEN"
    assert error["message"] == "missing scope: operator.write"
    assert error["details"] == {
        "code": "MISSING_SCOPE",
        "missingScope": "operator.write",
        "requiredScopes": ["operator.write"],
    }


async def test_no_word_about_scopes_means_all(door: Door) -> None:
    socket = await door.open()
    params = connect_params()
    del params["scopes"]
    hello = await socket.call("connect", params)
    assert hello["auth"]["scopes"] == ALL_SCOPES


async def test_an_empty_list_means_none(door: Door) -> None:
    socket = await door.connect(scopes=[])
    assert (await socket.call("health"))["agents"] == []
    assert (await socket.refusal("status"))["message"] == "missing scope: operator.read"


async def test_protocol_3_has_its_own_hello_and_codes(door: Door) -> None:
    socket = await door.connect(minProtocol=3, maxProtocol=3, scopes=["operator.read"])
    assert socket.hello["protocol"] == 3
    assert "auth" not in socket.hello
    error = await socket.refusal("chat.abort", {"sessionKey": "main"})
    assert error["code"] == "INVALID_REQUEST"


async def test_the_highest_common_protocol_is_answered(door: Door) -> None:
    socket = await door.connect(minProtocol=3, maxProtocol=9)
    assert socket.hello["protocol"] == 4


@pytest.mark.parametrize(("low", "high"), [(1, 2), (5, 6)])
async def test_no_common_protocol(door: Door, low: int, high: int) -> None:
    socket = await door.open()
    params = connect_params(minProtocol=low, maxProtocol=high)
    error = await socket.refusal("connect", params)
    assert error["message"] == "protocol mismatch"
    assert error["code"] == ("INVALID_REQUEST" if high < 4 else "PROTOCOL_MISMATCH")
    assert error["details"]["expectedProtocol"] == 4
    assert await socket.closed() == (1002, "protocol mismatch")


async def test_a_wrong_token(door: Door) -> None:
    socket = await door.open()
    error = await socket.refusal("connect", connect_params(auth={"token": "wrong"}))
    text = "unauthorized: gateway token mismatch (provide gateway auth token)"
    assert error == {
        "code": "INVALID_REQUEST",
        "message": text,
        "details": {
            "code": "AUTH_TOKEN_MISMATCH",
            "authReason": "token_mismatch",
            "canRetryWithDeviceToken": False,
            "recommendedNextStep": "update_auth_credentials",
        },
    }
    assert await socket.closed() == (1008, text)


async def test_no_token(door: Door) -> None:
    socket = await door.open()
    error = await socket.refusal("connect", connect_params(auth={}))
    assert error["details"]["code"] == "AUTH_TOKEN_MISSING"
    assert (await socket.closed())[0] == 1008


async def test_too_many_wrong_tokens_lock_an_address_out(door: Door) -> None:
    await configure({"auth": {"rateLimit": {"maxAttempts": 3}}})
    codes = []
    for _ in range(4):
        with pytest.raises(CallFailed) as failed:
            await door.connect(client="203.0.113.7", auth={"token": "wrong"})
        codes.append(failed.value.error["details"]["code"])
    assert codes == ["AUTH_TOKEN_MISMATCH"] * 3 + ["AUTH_RATE_LIMITED"]
    # Programs of this machine are not locked out, and neither are other addresses.
    await door.connect()
    await door.connect(client="203.0.113.8")


async def test_an_unknown_role(door: Door) -> None:
    socket = await door.open()
    error = await socket.refusal("connect", connect_params(role="janitor"))
    assert error["message"] == "invalid role"
    assert (await socket.closed())[0] == 1008


async def test_without_authentication_programs_of_this_machine_are_the_owner(door: Door) -> None:
    await configure({"auth": {"mode": "none"}})
    socket = await door.connect(auth={})
    assert socket.hello["auth"]["scopes"] == ALL_SCOPES
    assert socket.hello["snapshot"]["authMode"] == "none"
    with pytest.raises(CallFailed):
        await door.connect(auth={}, origin=f"http://{HOST}")
    with pytest.raises(CallFailed):
        await door.connect(auth={}, client="203.0.113.7")


async def test_the_token_of_the_configuration(door: Door) -> None:
    await configure({"auth": {"token": "from-the-document"}})
    socket = await door.connect(auth={"token": "from-the-document"})
    assert socket.hello["auth"]["method"] == "token"
    with pytest.raises(CallFailed):
        await door.connect()


async def test_another_token_closes_who_came_with_the_old_one(door: Door) -> None:
    door.limit(tick_interval_ms=50)
    socket = await door.connect()
    await socket.event("tick")
    await configure({"auth": {"token": "from-the-document"}})
    assert await socket.closed() == (1008, "signed out")
