"""Turns the body of a page into text, also where its label is wrong. Pure."""

from __future__ import annotations

import codecs
import re
from email.message import Message

from tools.encoding import SAMPLE_BYTES, detect_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Browsers look for the declaration in this much of a page.
_DECLARED_WITHIN = 4_096
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""", re.I)
# Python also knows codecs that turn bytes into bytes, escapes and names of hosts.
_PAGES = re.compile(
    r"utf-(8|16|32)(-[lb]e)?|ascii|latin_1|cp\d+|iso8859-\d+|koi8-[rut]|mac-\w+|gb2312|gbk|gb18030"
    r"|hz|big5\w*|euc_\w+|iso2022_\w+|shift_jis\w*|tis-620|johab"
)
# WHATWG: these labels mean the Western code page of Windows.
_WESTERN = frozenset({"ascii", "iso8859-1", "cp1252", "latin_1"})


def media_type(header: str) -> str:
    """The type in a Content-Type header, "" when it is none: "text/html"."""
    kind = header.partition(";")[0].strip().lower()
    return kind if re.fullmatch(r"[a-z0-9.+-]{1,80}/[a-z0-9.+-]{1,80}", kind) else ""


def body_decode(body: bytes, header: str) -> tuple[str, str] | None:
    """The text of `body` and the encoding it turned out to have; None when it is binary.

    In order: a byte order mark, valid UTF-8 where the label is none or a Western one, the label of
    the header or of the page itself if the bytes agree with it, what the bytes look like.
    Characters that cannot be read become U+FFFD, NUL too.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return _text(body.removeprefix(mark), name), name
    label = _codec(_header_charset(header)) or _codec(_declared_charset(body))
    if (not label or label in _WESTERN) and _fits(body, "utf-8"):
        label = "utf-8"
    if label in _WESTERN:
        label = "cp1252"
    sample = detect_encoding(body[:SAMPLE_BYTES])
    if label and _fits(body, label) and (sample is not None or _is_wide(label)):
        return _text(body, label), label
    if sample is None:
        return None
    return _text(body, sample.name), sample.name


def _text(body: bytes, name: str) -> str:
    return body.decode(name, "replace").replace("\0", "\ufffd")


def _header_charset(header: str) -> str:
    message = Message()
    message["content-type"] = header
    value = message.get_param("charset")
    return value if isinstance(value, str) else ""


def _declared_charset(body: bytes) -> str:
    found = _DECLARED.search(body[:_DECLARED_WITHIN])
    label = found[1].decode("ascii") if found else ""
    # A page in which this can be read has one byte for a letter, whatever it says.
    return "utf-8" if label.lower().startswith("utf-") else label


def _codec(label: str) -> str:
    """Python's name of an encoding that pages are written in, "" for all other labels."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    return name if _PAGES.fullmatch(name) else ""


def _fits(body: bytes, name: str) -> bool:
    """Whether `body` can be read as `name`; a character cut at its end does not count."""
    try:
        codecs.getincrementaldecoder(name)().decode(body)
    except (UnicodeError, LookupError):
        # In the code page of Windows five bytes mean nothing; browsers pass over them.
        return name == "cp1252"
    return True


def _is_wide(name: str) -> bool:
    return name.startswith(("utf-16", "utf-32"))
