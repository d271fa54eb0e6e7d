"""A signed device: paired at once on this machine with the token, approved by hand otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from agents.core.messages import now_ms
from agents.database import run_db
from channels_app.devices import device_approve, device_find, device_revoke
from channels_app.models import Device as DeviceRow
from sessions.people import owner_ensure
from tests.channels_app.gateway.client import CallFailed
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.device import Device
from tests.channels_app.gateway.params import connect_params

ELSEWHERE = {"client": "203.0.113.7", "host": "gateway.example:18789"}


async def _failure(door: Door, device: Device, **changes: Any) -> dict[str, Any]:
    with pytest.raises(CallFailed) as failed:
        await door.connect(device=device, **changes)
    return failed.value.error


async def _approve(device: Device, scopes: list[str] | None = None) -> None:
    def work() -> None:
        row = device_find(device_id=device.id)
        assert row is not None
        device_approve(device=row, person=owner_ensure(), scopes=scopes)

    await run_db(work)


async def test_it_works(door: Door) -> None:
    device = Device()
    first = await door.connect(device=device)
    assert first.hello["auth"]["deviceToken"]
    # From now on the key alone is enough, also without the shared token.
    again = await door.connect(device=device, auth={})
    assert again.hello["auth"]["method"] == "device"
    assert again.hello["auth"]["scopes"] == first.hello["auth"]["scopes"]


async def test_the_device_token_counts_like_the_shared_one(door: Door) -> None:
    device = Device()
    token = (await door.connect(device=device)).hello["auth"]["deviceToken"]
    by_field = await door.connect(device=device, auth={"deviceToken": token})
    assert by_field.hello["auth"]["deviceToken"] == token
    by_token = await door.connect(device=device, auth={"token": token})
    assert by_token.hello["auth"]["method"] == "device"


@pytest.mark.parametrize("version", ["v2", "v3"])
async def test_both_signatures(door: Door, version: str) -> None:
    device, socket = Device(), await door.open()
    nonce = socket.challenge["nonce"]
    params = device.sign(connect_params(), nonce=nonce, signed_at=now_ms(), version=version)
    assert (await socket.call("connect", params))["auth"]["deviceToken"]


async def test_a_stranger_waits_for_approval(door: Door) -> None:
    device = Device()
    error = await _failure(door, device, auth={}, **ELSEWHERE)
    assert error["code"] == "NOT_PAIRED"
    assert error["message"] == "pairing required"
    assert error["details"] == {
        "code": "PAIRING_REQUIRED",
        "requestId": device.id,
        "reason": "not-paired",
    }
    await _approve(device, ["operator.read"])
    socket = await door.connect(device=device, auth={}, **ELSEWHERE)
    assert socket.hello["auth"]["scopes"] == ["operator.read"]


async def test_on_this_machine_a_device_without_token_waits_too(door: Door) -> None:
    error = await _failure(door, Device(), auth={})
    assert error["details"]["reason"] == "not-paired"


async def test_the_token_from_elsewhere_lets_in_but_does_not_pair(door: Door) -> None:
    device = Device()
    socket = await door.connect(device=device, **ELSEWHERE)
    assert socket.hello["auth"]["method"] == "token"
    assert "deviceToken" not in socket.hello["auth"]
    assert await run_db(DeviceRow.objects.count) == 0


async def test_behind_a_proxy_nobody_is_local(door: Door) -> None:
    device, socket = Device(), await door.open(headers={"X-Forwarded-For": "203.0.113.7"})
    nonce = socket.challenge["nonce"]
    params = device.sign(connect_params(), nonce=nonce, signed_at=now_ms())
    assert "deviceToken" not in (await socket.call("connect", params))["auth"]


async def test_a_changed_platform_must_be_approved_again(door: Door) -> None:
    device = Device()
    await door.connect(device=device)
    client = {**connect_params()["client"], "platform": "windows"}
    socket = await door.open()
    nonce = socket.challenge["nonce"]
    params = connect_params(client=client, auth={})
    error = await socket.refusal("connect", device.sign(params, nonce=nonce, signed_at=now_ms()))
    assert error["details"]["reason"] == "metadata-upgrade"


async def test_a_revoked_device_stays_out(door: Door) -> None:
    device = Device()
    await door.connect(device=device)

    def revoke() -> None:
        row = device_find(device_id=device.id)
        assert row is not None
        device_revoke(device=row)

    await run_db(revoke)
    error = await _failure(door, device, auth={})
    assert error["details"]["code"] == "PAIRING_REQUIRED"


PROOFS = [
    ({"signedAt": 1}, "DEVICE_AUTH_SIGNATURE_EXPIRED", "device-signature-stale"),
    ({"nonce": "other"}, "DEVICE_AUTH_NONCE_MISMATCH", "device-nonce-mismatch"),
    ({"nonce": ""}, "DEVICE_AUTH_NONCE_REQUIRED", "device-nonce-missing"),
    ({"signature": "AAAA"}, "DEVICE_AUTH_SIGNATURE_INVALID", "device-signature"),
    ({"id": "0" * 64}, "DEVICE_AUTH_DEVICE_ID_MISMATCH", "device-id-mismatch"),
    ({"publicKey": "@@"}, "DEVICE_AUTH_PUBLIC_KEY_INVALID", "device-public-key"),
]


@pytest.mark.parametrize(("change", "code", "reason"), PROOFS)
async def test_a_proof_that_does_not_hold(
    door: Door, change: dict[str, Any], code: str, reason: str
) -> None:
    socket = await door.open()
    nonce = socket.challenge["nonce"]
    params = Device().sign(connect_params(), nonce=nonce, signed_at=now_ms())
    params["device"] |= change
    error = await socket.refusal("connect", params)
    assert error["details"] == {"code": code, "reason": reason}
    assert (await socket.closed())[0] == 1008


async def test_a_wrong_device_token(door: Door) -> None:
    device = Device()
    await door.connect(device=device)
    error = await _failure(door, device, auth={"deviceToken": "wrong"})
    assert error["details"]["code"] == "AUTH_DEVICE_TOKEN_MISMATCH"


async def test_a_device_token_without_the_device(door: Door) -> None:
    socket = await door.open()
    error = await socket.refusal("connect", connect_params(auth={"deviceToken": "x"}))
    assert error["code"] == "NOT_PAIRED"
    assert error["message"] == "device identity required"
