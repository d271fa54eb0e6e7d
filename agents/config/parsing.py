"""From text to a plain document: format, size and encoding are settled here."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.json5_source import json5_read
from agents.config.plain import PlainReader
from agents.config.yaml_source import yaml_read

# Bytes. Ten times the biggest configuration that anybody writes by hand.
MAX_BYTES = 1_000_000

_BOMS = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
# Blanks and JSON5 comments before the first brace.
_OPENING = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*\{", re.DOTALL)


def text_decode(content: bytes, findings: Findings) -> str:
    """The text of a file; a byte order mark of UTF-8 is dropped, other encodings are refused."""
    if name := _BOMS.get(content[:2]):
        findings.error((), _("the file is %(name)s: save it as UTF-8") % {"name": name})
        return ""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        findings.error_at(line, _("the file is not UTF-8: save it as UTF-8"))
        return ""


def document_parse(text: str, findings: Findings) -> dict[str, Any]:
    """The document in `text`, JSON5 or YAML. Problems are noted; the document is {} then.

    Afterwards `findings` knows the line of every path.
    """
    size = len(text.encode(errors="replace"))
    if size > MAX_BYTES:
        findings.error(
            (),
            _("the document has %(size).1f MB; at most %(limit).1f MB are read")
            % {"size": size / 1e6, "limit": MAX_BYTES / 1e6},
        )
        return {}
    text = text.removeprefix("\ufeff")
    read = json5_read if _OPENING.match(text) else yaml_read
    try:
        value, lines = read(text, findings)
    except RecursionError:
        findings.error((), _("the document is too deeply nested"))
        return {}
    findings.lines = lines
    if findings.errors:
        return {}
    if value is None:
        findings.error((), _("the document is empty; the smallest one is {}"))
        return {}
    plain = PlainReader(findings).read(value)
    if not isinstance(plain, dict):
        findings.error((), _("the document must be an object with sections as its keys"))
        return {}
    return plain if not findings.errors else {}
