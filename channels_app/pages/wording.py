"""Numbers and times in words. Unknown is a dash, never zero."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

UNKNOWN = "\N{EN DASH}"


def _number(value: float, places: int, *, force_grouping: bool = False) -> str:
    """`value` rounded, as the reader's language writes it (number_format alone cuts)."""
    return number_format(round(value, places), places, force_grouping=force_grouping)


def ago(moment: datetime, *, now: datetime | None = None) -> str:
    """How long ago `moment` was, in the largest fitting unit; a date beyond a week."""
    passed = (now or timezone.now()) - moment
    seconds = max(0, int(passed.total_seconds()))
    if seconds < 10:
        return _("just now")
    if seconds < 60:
        return _("%(n)s s ago") % {"n": seconds}
    if seconds < 3600:
        return _("%(n)s min ago") % {"n": seconds // 60}
    if seconds < 86_400:
        return _("%(n)s h ago") % {"n": seconds // 3600}
    if passed < timedelta(days=7):
        days = seconds // 86_400
        return ngettext("%(n)s day ago", "%(n)s days ago", days) % {"n": days}
    return date_format(timezone.localtime(moment), "DATE_FORMAT")


def duration(milliseconds: float | None) -> str:
    """A length of time with two or three significant digits."""
    if milliseconds is None:
        return UNKNOWN
    if milliseconds < 1000:
        return _("%(n)s ms") % {"n": round(milliseconds)}
    seconds = milliseconds / 1000
    if seconds < 60:
        return _("%(n)s s") % {"n": _number(seconds, 1 if seconds < 10 else 0)}
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return _("%(m)s min %(s)s s") % {"m": minutes, "s": rest}
    return _("%(h)s h %(m)s min") % {"h": minutes // 60, "m": minutes % 60}


def count(number: int | None) -> str:
    """A whole number; thousands are shortened from 10,000 on (12.3k)."""
    if number is None:
        return UNKNOWN
    if number < 10_000:
        return _number(number, 0, force_grouping=True)
    if number < 1_000_000:
        return f"{_number(number / 1000, 1 if number < 100_000 else 0)}k"
    return f"{_number(number / 1_000_000, 1)}M"


def money(dollars: float | None, *, known: bool = True) -> str:
    """An amount in US dollars with two significant digits at least; a dash when not known."""
    if dollars is None or not known:
        return UNKNOWN
    if dollars <= 0:
        return "$" + _number(0, 2)
    places = 2 if dollars >= 0.1 else min(6, 1 - math.floor(math.log10(dollars)))
    return "$" + _number(dollars, places)


def size(byte_count: int) -> str:
    """A file size in the unit that keeps the number short."""
    amount = float(byte_count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{_number(amount, 0 if unit == 'B' or amount >= 10 else 1)} {unit}"
        amount /= 1000
    return f"{_number(amount, 1)} GB"
