"""A same-origin socket with Django's session cookie is that person, with the role's scopes."""

from __future__ import annotations

import pytest

from agents.database import run_db
from sessions.models import Person
from tests.channels_app.gateway.client import CallFailed
from tests.channels_app.gateway.conftest import Door
from tests.channels_app.gateway.params import ALL_SCOPES, connect_params
from tests.channels_app.gateway.people import sign_out, signed_in


async def test_it_works(door: Door) -> None:
    person, cookie = await signed_in("ada")
    page = await door.page(cookie)
    auth = page.hello["auth"]
    assert auth["method"] == "session"
    assert auth["scopes"] == ["operator.read", "operator.write"]
    own_key = page.hello["snapshot"]["sessionDefaults"]["mainSessionKey"]
    assert own_key == f"agent:main:web:{person.id}"


@pytest.mark.parametrize(
    ("role", "scopes"),
    [("owner", ALL_SCOPES), ("viewer", ["operator.read"])],
)
async def test_scopes_come_from_the_role(door: Door, role: str, scopes: list[str]) -> None:
    _person, cookie = await signed_in("ada", role)
    page = await door.page(cookie, scopes=ALL_SCOPES)
    assert page.hello["auth"]["scopes"] == scopes


async def test_without_origin_a_cookie_is_nothing(door: Door) -> None:
    _person, cookie = await signed_in("ada")
    socket = await door.open(cookie=cookie)
    error = await socket.refusal("connect", connect_params(auth={}))
    assert error["details"]["code"] == "AUTH_TOKEN_MISSING"


async def test_a_foreign_cookie_is_nothing(door: Door) -> None:
    with pytest.raises(CallFailed) as failed:
        await door.page("openclaw_session_18789=" + "a" * 32)
    assert failed.value.error["details"]["code"] == "AUTH_TOKEN_MISSING"


async def test_who_is_switched_off_is_closed_at_the_next_tick(door: Door) -> None:
    door.limit(tick_interval_ms=50)
    person, cookie = await signed_in("ada")
    page = await door.page(cookie)
    await page.event("tick")
    await sign_out(person)
    assert await page.closed() == (1008, "signed out")


async def test_who_may_do_less_now_is_closed_at_the_next_tick(door: Door) -> None:
    door.limit(tick_interval_ms=50)
    person, cookie = await signed_in("ada")
    page = await door.page(cookie)
    await page.event("tick")

    def demote() -> None:
        Person.objects.filter(pk=person.pk).update(role=Person.Role.VIEWER)

    await run_db(demote)
    assert await page.closed() == (1008, "signed out")
    again = await door.page(cookie)
    assert again.hello["auth"]["scopes"] == ["operator.read"]


async def test_the_own_presence_only(door: Door) -> None:
    _ada, cookie = await signed_in("ada")
    _bob, other = await signed_in("bob")
    _boss, owner = await signed_in("boss", Person.Role.OWNER)
    page, _other, boss = [await door.page(each) for each in (cookie, other, owner)]

    def names(entries: list[dict[str, str]]) -> set[str]:
        return {entry["text"].split(":")[0] for entry in entries}

    assert names(await page.call("system-presence", {})) == {"Gateway", "ada"}
    assert names(await boss.call("system-presence", {})) == {"Gateway", "ada", "bob", "boss"}
