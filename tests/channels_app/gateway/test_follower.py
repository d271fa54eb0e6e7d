"""What a caller is handed who cannot take text back."""

from __future__ import annotations

from channels_app.gateway.hub.follower import Follower, RunEnded

ANEW = "\n\n[The answer broke off and begins anew.]\n\n"


async def told(follower: Follower, text: str, state: str = "final") -> str:
    """All text up to the end, which comes with `text`."""
    follower.end(RunEnded("w", state, "k", text))
    found = ""
    while not isinstance(item := await follower.next(), RunEnded):
        found += item
    return found


async def test_it_works() -> None:
    follower = Follower("w")
    follower.say("one ")
    follower.say("two")
    assert await told(follower, "one two") == "one two"


async def test_a_text_that_repeats_itself_goes_on() -> None:
    follower = Follower("w")
    follower.say("one two ")
    follower.start_over("")
    follower.say("one ")
    follower.say("two three")
    assert await told(follower, "one two three") == "one two three"


async def test_another_text_is_set_apart() -> None:
    follower = Follower("w")
    follower.say("one two ")
    follower.start_over("")
    follower.say("eins")
    follower.say(" zwei")
    assert await told(follower, "eins zwei") == f"one two {ANEW}eins zwei"


async def test_a_shorter_text_is_set_apart_at_the_end() -> None:
    follower = Follower("w")
    follower.say("one two three")
    follower.start_over("")
    follower.say("one two")
    assert await told(follower, "one two") == f"one two three{ANEW}one two"


async def test_nothing_is_repeated_when_the_turn_failed() -> None:
    follower = Follower("w")
    follower.say("one two three")
    follower.start_over("")
    follower.say("one")
    assert await told(follower, "", "error") == "one two three"
