"""How numbers, times and JSON read in lists and on pages of the admin."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

UNKNOWN = "–"  # noqa: RUF001 - what the whole product shows for "not known"
# A page with a megabyte of JSON cannot be read, and hardly be opened.
LONGEST_JSON = 60_000


def ago(moment: datetime | None) -> str | SafeString:
    """How long ago, with the exact time on hovering."""
    if moment is None:
        return UNKNOWN
    local = timezone.localtime(moment)
    exact = formats.date_format(local, "Y-m-d H:i:s")
    now = timezone.now()
    if (now - moment).total_seconds() < 60:
        words = _("just now") if moment <= now else _("in %(time)s") % {"time": _left(moment)}
    else:
        words = _("%(time)s ago") % {"time": timesince(moment, depth=1)}
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat(), exact, words)


def _left(moment: datetime) -> str:
    return timesince(timezone.now(), moment, depth=1)


def length(start: datetime | None, end: datetime | None) -> str:
    """The time between two moments in the unit that reads best."""
    if start is None or end is None:
        return UNKNOWN
    seconds = max(0.0, (end - start).total_seconds())
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def count(number: int | None) -> str:
    """A whole number with its thousands grouped."""
    if number is None:
        return UNKNOWN
    return formats.number_format(number, force_grouping=True)


def money(dollars: float, *, known: bool = True) -> str:
    """US dollars; a price that is not known is no zero."""
    if not known:
        return UNKNOWN
    digits = 2 if dollars >= 1 or dollars == 0 else 4
    return f"${formats.number_format(round(dollars, digits), digits, force_grouping=True)}"


def size(octets: int) -> str:
    """Bytes in the unit that reads best."""
    value = float(octets)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def json_block(value: Any) -> str | SafeString:
    """Indented JSON in a block that scrolls, cut where it would be too long to read."""
    if value in (None, "", [], {}):
        return UNKNOWN
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
    return text_block(text)


def text_block(text: str) -> str | SafeString:
    """Text in a block that scrolls, cut where it would be too long to read."""
    if not text:
        return UNKNOWN
    if len(text) > LONGEST_JSON:
        text = text[:LONGEST_JSON] + "\n…"
    return format_html('<pre class="oc-block" tabindex="0">{}</pre>', text)


def excerpt(text: str, longest: int = 80) -> str:
    """The beginning of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
