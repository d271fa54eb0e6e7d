"""The bytes that a terminal sends for keys, by the names that terminal programs use. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.core.errors import ToolError

_PLAIN: dict[str, bytes] = {
    "enter": b"\r",
    "return": b"\r",
    "tab": b"\t",
    "escape": b"\x1b",
    "esc": b"\x1b",
    "space": b" ",
    "bspace": b"\x7f",
    "backspace": b"\x7f",
    "btab": b"\x1b[Z",
}
# Keys with a letter at the end of their sequence; they differ in application mode.
_LETTERS = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_F_LETTERS = {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
_NUMBERS = {
    **{"insert": 2, "ic": 2, "delete": 3, "dc": 3, "pgup": 5, "pageup": 5, "ppage": 5},
    **{"pgdn": 6, "pagedown": 6, "npage": 6},
    **dict(zip((f"f{n}" for n in range(5, 13)), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)),
}
_MODIFIERS = {"s": 1, "m": 2, "c": 4}
_SPELLED = re.compile(r"((?:[CMScms]-)*)(.+)", re.DOTALL)
_PASTE_BEGIN, _PASTE_END = b"\x1b[200~", b"\x1b[201~"


def keys_bytes(keys: Sequence[str], *, application: bool = False) -> bytes:
    """The bytes for keys such as Enter, C-c, M-x, S-Up, F5 or a single character.

    `application`: the program switched the cursor keys to application mode. Raises ToolError that
    names a key which is unknown.
    """
    return b"".join(_key(key, application) for key in keys)


def hex_bytes(codes: Sequence[str]) -> bytes:
    """Bytes written as hexadecimal numbers, such as 1b or 0x1b. Raises ToolError for others."""
    found = b""
    for code in codes:
        try:
            found += bytes.fromhex(code.strip().removeprefix("0x"))
        except ValueError:
            raise ToolError(f"hex: {code!r} is no byte such as 1b.") from None
    return found


def paste_bytes(text: str, *, bracketed: bool) -> bytes:
    """A pasted text; bracketed, so that a program does not take its lines for typed ones."""
    data = text.encode()
    if not bracketed:
        return data
    # The closing mark inside would let the rest of the text count as typed.
    return _PASTE_BEGIN + data.replace(_PASTE_END, b"") + _PASTE_END


def application_mode(output: bytes) -> bool:
    """Whether a program that printed this has its cursor keys in application mode."""
    return output.rfind(b"\x1b[?1h") > output.rfind(b"\x1b[?1l")


def _key(key: str, application: bool) -> bytes:
    found = _SPELLED.fullmatch(key)
    if found is None:
        raise ToolError("keys: a key is empty.")
    modifiers = sum(_MODIFIERS[one] for one in set(found[1].lower()) - {"-"})
    name = found[2].lower()
    if name in _LETTERS or name in _F_LETTERS or name in _NUMBERS:
        return _sequence(name, modifiers, application)
    if name == "tab" and modifiers == _MODIFIERS["s"]:
        return _PLAIN["btab"]
    data = _PLAIN.get(name) if len(found[2]) > 1 else found[2].encode()
    if data is None:
        raise ToolError(
            f"keys: {key!r} is unknown. Use names such as Enter, Tab, Escape, Up, PgDn, F5, C-c, "
            "M-x, or literal for text."
        )
    return _modified(key, data, modifiers)


def _sequence(name: str, modifiers: int, application: bool) -> bytes:
    if name in _NUMBERS:
        middle = f";{modifiers + 1}" if modifiers else ""
        return f"\x1b[{_NUMBERS[name]}{middle}~".encode()
    letter = _LETTERS.get(name) or _F_LETTERS[name]
    if modifiers:
        return f"\x1b[1;{modifiers + 1}{letter}".encode()
    return f"\x1b{'O' if application or name in _F_LETTERS else '['}{letter}".encode()


def _modified(key: str, data: bytes, modifiers: int) -> bytes:
    if modifiers & _MODIFIERS["s"]:
        data = data.decode().upper().encode()
    if modifiers & _MODIFIERS["c"]:
        data = _control(key, data)
    return b"\x1b" + data if modifiers & _MODIFIERS["m"] else data


def _control(key: str, data: bytes) -> bytes:
    code = data.upper()[0]
    if data == b"?":
        return b"\x7f"
    if data == b" ":
        return b"\0"
    if len(data) != 1 or not 0x40 <= code <= 0x5F:
        raise ToolError(f"keys: there is no control character for {key!r}.")
    return bytes([code & 0x1F])
