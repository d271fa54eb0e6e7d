"""Reads YAML 1.2, refusing keys that stand twice, and notes the line of every path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from agents.config.issues import Findings
from agents.config.paths import Path
from agents.config.plain import MAX_NODES

_TAB_INDENT = re.compile(r" *\t")


def yaml_read(text: str, findings: Findings) -> tuple[Any, dict[Path, int]]:
    """The value and the line of each path. Problems are noted; the value is None then."""
    # Imported here: the parser is big and only people who write YAML need it.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    reader = YAML(typ="rt")
    try:
        value = reader.load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark
        _note(text, mark.line + 1 if mark else None, str(error.problem), findings)
        return None, {}
    except YAMLError as error:
        _note(text, None, str(error).split("\n", 1)[0], findings)
        return None, {}
    lines: dict[Path, int] = {}
    _lines(value, (), lines)
    for path in _tagged(value):
        findings.error_at(lines.get(path), _("tags (!…) are not read"), path)
    return value, lines


def _note(text: str, line: int | None, problem: str, findings: Findings) -> None:
    shown = text.splitlines()[line - 1 : line] if line else []
    if shown and _TAB_INDENT.match(shown[0]):
        findings.error_at(line, _("YAML allows no tab here: indent with spaces"))
    elif problem.startswith("found duplicate key"):
        findings.error_at(line, _("this key stands twice in one object"))
    else:
        findings.error_at(line, _("not valid YAML: %(reason)s") % {"reason": problem})


def _tagged(value: Any) -> Iterator[Path]:
    """The first object or list with a tag; such a value would not be what it seems."""
    seen: set[int] = set()
    waiting: list[tuple[Any, Path]] = [(value, ())]
    while waiting:
        item, path = waiting.pop()
        tag = getattr(item, "tag", None)
        if id(item) in seen or tag is None:
            continue
        seen.add(id(item))
        if tag.value:
            yield path
            return
        if isinstance(item, Mapping | list):
            pairs = item.items() if isinstance(item, Mapping) else enumerate(item)
            waiting += [(child, (*path, step)) for step, child in pairs]


def _lines(value: Any, path: Path, lines: dict[Path, int]) -> None:
    # The same object may be reached by many aliases; the first line found is good enough.
    is_mapping = isinstance(value, Mapping)
    if not (is_mapping or isinstance(value, list)) or len(lines) > MAX_NODES:
        return
    for step in value if is_mapping else range(len(value)):
        place = (*path, step if isinstance(step, int) and not is_mapping else str(step))
        position = value.lc.data.get(step) if value.lc.data else None
        if position is not None:
            lines[place] = position[0] + 1
        _lines(value[step], place, lines)
