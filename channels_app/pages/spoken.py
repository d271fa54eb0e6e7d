"""What a person said, without the lines that a turn adds around it for the model."""

from __future__ import annotations

import re

_HEAD = "[Queued messages while agent was busy]"
_MARK = re.compile(r"\n\n---\nQueued #\d+(?: \(from [^\n]*\))?\n")
_INLINED_FILE = re.compile(r'<file name="([^"\n]*)">\n')
_COPIED_FILE = re.compile(r"\[Attached file (.+) \([^()]*, \d+ bytes\) is at inbox/\S+ in")


def spoken_text(text: str) -> str:
    """Messages that were gathered into one prompt, a blank line between them; others as is."""
    if not text.startswith(_HEAD):
        return text
    head, *parts = _MARK.split(text.removeprefix(_HEAD))
    return "\n\n".join(part.strip() for part in (head, *parts) if part.strip())


def attached_name(text: str) -> str:
    """The file that a text block stands for, "" for what a person typed."""
    match = _INLINED_FILE.match(text) or _COPIED_FILE.match(text)
    return match[1] if match else ""
