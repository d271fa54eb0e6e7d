"""The bytes of keys."""

from __future__ import annotations

import pytest

from agents.core.errors import ToolError
from tools.background.keys import application_mode, hex_bytes, keys_bytes, paste_bytes


@pytest.mark.parametrize(
    ("key", "sent"),
    [
        *(("Enter", b"\r"), ("Tab", b"\t"), ("Escape", b"\x1b"), ("Space", b" ")),
        *(("BSpace", b"\x7f"), ("Up", b"\x1b[A"), ("left", b"\x1b[D"), ("Home", b"\x1b[H")),
        *(("End", b"\x1b[F"), ("PgUp", b"\x1b[5~"), ("PgDn", b"\x1b[6~"), ("Delete", b"\x1b[3~")),
        *(("F1", b"\x1bOP"), ("F5", b"\x1b[15~"), ("F12", b"\x1b[24~"), ("C-c", b"\x03")),
        *(("C-C", b"\x03"), ("C-[", b"\x1b"), ("C-Space", b"\0"), ("M-x", b"\x1bx")),
        *(("C-M-a", b"\x1b\x01"), ("S-a", b"A"), ("S-Tab", b"\x1b[Z"), ("S-Up", b"\x1b[1;2A")),
        *(("C-Right", b"\x1b[1;5C"), ("M-F5", b"\x1b[15;3~"), ("x", b"x"), ("é", "é".encode())),
        *(("-", b"-"), ("C--", None), ("C-", None), ("Hyper", None), ("", None), ("C-é", None)),
    ],
)
def test_it_works(key: str, sent: bytes | None) -> None:
    if sent is not None:
        assert keys_bytes([key]) == sent
        return
    with pytest.raises(ToolError, match=r"^keys: "):
        keys_bytes([key])


def test_several_keys_come_one_after_another() -> None:
    assert keys_bytes(["C-c", "q", "Enter"]) == b"\x03q\r"


def test_cursor_keys_follow_the_mode_of_the_program() -> None:
    assert keys_bytes(["Up", "S-Up"], application=True) == b"\x1bOA\x1b[1;2A"
    assert application_mode(b"a\x1b[?1hb")
    assert not application_mode(b"a\x1b[?1hb\x1b[?1l")
    assert not application_mode(b"")


def test_bytes_as_numbers() -> None:
    assert hex_bytes(["1b", "0x5B", "41"]) == b"\x1b[A"
    with pytest.raises(ToolError, match=r"^hex: 'zz'"):
        hex_bytes(["zz"])


def test_a_paste_cannot_leave_its_brackets() -> None:
    assert paste_bytes("a\nb", bracketed=True) == b"\x1b[200~a\nb\x1b[201~"
    assert paste_bytes("a\x1b[201~rm", bracketed=True) == b"\x1b[200~arm\x1b[201~"
    assert paste_bytes("a\nb", bracketed=False) == b"a\nb"
