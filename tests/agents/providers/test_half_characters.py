"""Characters that arrive in two halves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.providers.common.assembly import HalfCharacters


def joined(*pieces: str) -> str:
    halves = HalfCharacters()
    return "".join(map(halves.push, pieces)) + halves.rest()


def test_it_works() -> None:
    assert joined("a", "\ud83d", "\ude00", "b") == "a😀b"


def test_half_without_its_other_half_is_replaced() -> None:
    assert joined("a\ud83d") == "a\ufffd"
    assert joined("a\ud83d", "b") == "a\ufffdb"
    assert joined("\ude00") == "\ufffd"


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: "\0" not in text))
def test_text_in_code_units_comes_out_whole(text: str) -> None:
    units = text.encode("utf-16-le")
    pieces = [
        units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)
    ]
    assert joined(*pieces) == text
