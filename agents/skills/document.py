"""Reading a SKILL.md: what the author wrote, and what is wrong with it. Pure.

The format is that of agentskills.io: YAML between two `---` lines, then instructions in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import pyjson5
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

# runtime.md 9: skills.limits.maxSkillFileBytes.
MAX_FILE_BYTES = 256_000
# The format's own limits.
MAX_NAME = 64
MAX_DESCRIPTION = 1_024
# What may stand in a name; others would not fit into a prompt line or a folder's name.
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_FENCE = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)\Z")


@dataclass(frozen=True, slots=True)
class SkillDocument:
    """What a SKILL.md says. `notes` are oddities that do not keep it from being used."""

    name: str
    description: str
    body: str
    homepage: str = ""
    user_invocable: bool = True
    model_invocable: bool = True
    dispatch_tool: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class SkillProblem(ValueError):
    """A SKILL.md that cannot be used; the text says why and what to do."""


def skill_read(data: bytes, *, folder: str = "") -> SkillDocument:
    """The document in `data`. `folder` is the name of its folder, for a note when they differ.

    Takes a byte-order mark, CRLF, keys it does not know, a description with colons, metadata as
    JSON or YAML, and Latin-1 with a note. Raises SkillProblem for everything that is no skill.
    """
    if len(data) > MAX_FILE_BYTES:
        size, most = len(data) // 1000, MAX_FILE_BYTES // 1000
        raise SkillProblem(f"SKILL.md has {size} KB; at most {most} KB are read.")
    text, notes = _decoded(data)
    if not text.strip():
        raise SkillProblem("SKILL.md is empty.")
    found = _FENCE.match(text)
    if found is None:
        raise SkillProblem("SKILL.md must begin with a block of name and description in --- lines.")
    fields, more = _fields(found[1])
    name = _name(fields, folder, notes)
    description = " ".join(str(fields.get("description") or "").split())
    if not description:
        raise SkillProblem("description is missing: say in a sentence when the skill is of use.")
    if len(description) > MAX_DESCRIPTION:
        notes.append(f"description has more than {MAX_DESCRIPTION} characters and was cut")
        description = description[: MAX_DESCRIPTION - 1].rstrip() + "…"
    return SkillDocument(
        name=name,
        description=description,
        body=text[found.end() :].strip(),
        homepage=str(fields.get("homepage") or ""),
        user_invocable=_flag(fields, "user-invocable", True),
        model_invocable=not _flag(fields, "disable-model-invocation", False),
        dispatch_tool=_dispatch(fields, notes),
        metadata=_metadata(fields.get("metadata"), notes),
        notes=(*notes, *more),
    )


def _decoded(data: bytes) -> tuple[str, list[str]]:
    notes: list[str] = []
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
        notes.append("is UTF-16, not UTF-8")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
            notes.append("is not UTF-8 and was read as Windows-1252")
    if "\0" in text:
        raise SkillProblem("SKILL.md holds NUL bytes: it is no text.")
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _fields(block: str) -> tuple[Mapping[str, Any], list[str]]:
    try:
        read = YAML(typ="safe", pure=True).load(StringIO(block))
    except (YAMLError, ValueError, RecursionError):
        # A colon in the description is the usual reason.
        return _lenient(block), ["the block at its head is no valid YAML and was read line by line"]
    if not isinstance(read, Mapping):
        raise SkillProblem("The block between the --- lines must be lines of `key: value`.")
    return {str(key): value for key, value in read.items()}, []


def _lenient(block: str) -> dict[str, Any]:
    """Each `key: value` line as plain text; indented lines go on with the one before."""
    fields: dict[str, Any] = {}
    key = ""
    for line in block.splitlines():
        if found := _LINE.match(line):
            key, fields[found[1]] = found[1], found[2].strip().strip("\"'")
        elif key and line.strip():
            fields[key] = f"{fields[key]} {line.strip()}".strip()
    return fields


def _name(fields: Mapping[str, Any], folder: str, notes: list[str]) -> str:
    stated = fields.get("name")
    if stated is None or not str(stated).strip():
        raise SkillProblem("name is missing: give the skill the name of its folder.")
    name = str(stated).strip()
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:MAX_NAME].rstrip("-")
    if not plain:
        raise SkillProblem(f"name {name[:80]!r} has no letter or digit in it.")
    if not _NAME.match(name) or len(name) > MAX_NAME:
        notes.append(f"name {name[:80]!r} is used as {plain!r}")
    elif folder and folder != name:
        notes.append(f"name {name!r} differs from its folder {folder!r}")
    return plain


def _flag(fields: Mapping[str, Any], key: str, default: bool) -> bool:
    value = fields.get(key, default)
    if isinstance(value, bool):
        return value
    return str(value).strip().lower() in ("true", "yes", "on", "1")


def _dispatch(fields: Mapping[str, Any], notes: list[str]) -> str:
    kind = fields.get("command-dispatch")
    if kind is None:
        return ""
    tool = str(fields.get("command-tool") or "")
    if kind == "tool" and tool:
        return tool
    notes.append("command-dispatch must be `tool` with a command-tool beside it; it is ignored")
    return ""


def _metadata(value: Any, notes: list[str]) -> Mapping[str, Any]:
    """The part of `metadata` that is for this product, under its present or its older name."""
    if isinstance(value, str) and value.strip():
        try:
            value = pyjson5.decode(value)
        except (pyjson5.Json5Exception, RecursionError):
            notes.append("metadata is no JSON and is ignored")
            return {}
    if not isinstance(value, Mapping):
        return {}
    own = value.get("openclaw", value.get("clawdbot", {}))
    return own if isinstance(own, Mapping) else {}
