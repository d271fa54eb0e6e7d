"""Tells text from bytes: which encoding a file has, and how to write it back the same way."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from agents.core.errors import ToolError

# Longer marks first: the UTF-32 mark begins with the UTF-16 one.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Characters that text does not hold, apart from the odd one.
_CONTROL = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_NOT_ASCII = re.compile("[^\x00-\x7f\ufffd]")
# How much of a file decides about its encoding when nothing else does.
SAMPLE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding with its byte order mark (b"" when the file has none).

    `damaged` says that some bytes are not valid in it; `decode` and `encode` carry them through.
    """

    name: str
    mark: bytes = b""
    damaged: bool = False

    @property
    def wide(self) -> bool:
        """Whether a character takes two or four bytes, so that b"\\n" does not end a line."""
        return self.name.startswith(("utf-16", "utf-32"))

    def decode(self, data: bytes) -> str:
        """The text after the mark. What cannot be decoded becomes lone surrogates (see `encode`).

        Raises ToolError for wide text that is cut inside a character.
        """
        body = data.removeprefix(self.mark)
        try:
            return body.decode(self.name, "surrogatepass" if self.wide else "surrogateescape")
        except UnicodeDecodeError as error:
            raise ToolError(f"The file is damaged {self.name} text: {error.reason}.") from None

    def encode(self, text: str) -> bytes:
        """The bytes of `text`, mark included. Raises ToolError for characters it does not have."""
        try:
            body = text.encode(self.name, "surrogatepass" if self.wide else "surrogateescape")
        except UnicodeEncodeError as error:
            raise ToolError(
                f"The file is {self.name} text, which has no {text[error.start]!r}. "
                "Leave that character out, or write the whole file anew (as UTF-8)."
            ) from None
        return self.mark + body


def detect_encoding(sample: bytes) -> Encoding | None:
    """The encoding of a file by its first bytes, None when it is binary.

    A character that the end of the sample cuts in two does not count as damage.
    """
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return Encoding(name, mark, name == "utf-8" and not _valid_utf8(sample))
    if b"\0" in sample:
        return _wide_without_mark(sample)
    return Encoding("utf-8") if _valid_utf8(sample) else _eight_bit(sample)


def _valid_utf8(sample: bytes) -> bool:
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        # One high byte at the very end may as well be a Western letter, such as the e of cafe
        # with its accent; it counts as cut only when more speaks for UTF-8.
        cut = error.reason == "unexpected end of data"
        certain = len(sample) - error.start > 1 or not sample[: error.start].isascii()
        return cut and (certain or len(sample) >= SAMPLE_BYTES)
    return True


def _wide_without_mark(sample: bytes) -> Encoding | None:
    # Western text as UTF-16 has a zero in every second byte; other zeros mean binary.
    pairs = len(sample) // 2
    first, second = sample[0::2].count(0), sample[1::2].count(0)
    if min(first, second) > pairs // 20 or max(first, second) < max(2, pairs // 3):
        return None
    encoding = Encoding("utf-16-le" if second > first else "utf-16-be")
    text = sample[: pairs * 2].decode(encoding.name, "replace")
    return None if _CONTROL.search(text) else encoding


def _eight_bit(sample: bytes) -> Encoding | None:
    text = sample.decode("utf-8", "replace")
    if len(_CONTROL.findall(text)) > len(text) // 100:
        return None
    # More good multi-byte characters than bad bytes: UTF-8 that something damaged.
    if len(_NOT_ASCII.findall(text)) > text.count("\ufffd"):
        return Encoding("utf-8", damaged=True)
    return Encoding("cp1252")
