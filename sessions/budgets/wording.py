"""Amounts and refusals in sentences for whoever reads the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils import formats
from django.utils.translation import gettext as _

from sessions.budgets.limits import WindowKey
from sessions.budgets.periods import window_end


@dataclass(frozen=True, slots=True)
class Amount:
    """Money in US dollars and tokens, side by side."""

    usd: float = 0.0
    tokens: int = 0


def usd_text(dollars: float, *, up: bool = False) -> str:
    """Dollars with two significant digits at least; rounded down, or up for what may be spent."""
    places = 2
    if 0 < dollars < 0.1:
        places = min(6, 1 - math.floor(math.log10(dollars)))
    unit = 10**places
    # The small number keeps what is binary dust from becoming a whole unit.
    scaled = math.ceil(dollars * unit - 1e-6) if up else math.floor(dollars * unit + 1e-6)
    while places > 2 and scaled % 10 == 0:
        places, unit, scaled = places - 1, unit // 10, scaled // 10
    return "$" + formats.number_format(scaled / unit, places, force_grouping=True)


def tokens_text(tokens: int) -> str:
    """A count of tokens."""
    number = formats.number_format(tokens, force_grouping=True)
    return _("%(n)s tokens") % {"n": number}


def refusal_text(*, key: WindowKey, wanted: Amount, taken: Amount, now: datetime) -> str:
    """Why a call is refused, with the amounts and when the limit renews.

    `taken` is what is spent and held of the window already.
    """
    limit = key.limit
    by_money = limit.usd is not None and wanted.usd > 0 and taken.usd + wanted.usd > limit.usd
    values: dict[str, Any] = {"who": _who(key), "period": _period(limit.period)}
    if by_money and limit.usd is not None:
        left = max(0.0, limit.usd - taken.usd)
        values |= {"wanted": usd_text(wanted.usd, up=True), "left": usd_text(left)}
        values["limit"] = usd_text(limit.usd)
        first = _("This would cost up to %(wanted)s.") % values
    else:
        allowed = limit.tokens or 0
        values |= {"wanted": tokens_text(wanted.tokens), "limit": tokens_text(allowed)}
        values["left"] = tokens_text(max(0, allowed - taken.tokens))
        first = _("This would use up to %(wanted)s.") % values
    rest = _("%(who)s %(left)s of %(limit)s %(period)s left.") % values
    return f"{first} {rest} {_renewal(key, now)}"


def _who(key: WindowKey) -> str:
    limit = key.limit
    if limit.period == "run":
        return _("This run has")
    if limit.scope == "agent":
        return _("The agent %(id)s has") % {"id": key.target}
    return _("You have") if limit.scope == "person" else _("Everyone together has")


def _period(period: str) -> str:
    return {"run": _("a run"), "day": _("for today"), "month": _("for this month")}[period]


def _renewal(key: WindowKey, now: datetime) -> str:
    renews = window_end(key.limit.period, now)
    if renews is None:
        return _("A new message starts a new run. An owner can change the limit.")
    values = {"when": renewal_text(renews, now=now)}
    return _("The limit renews %(when)s. An owner can change it.") % values


def renewal_text(renews: datetime, *, now: datetime) -> str:
    """The moment in UTC, and how long it is until then."""
    moment = renews.astimezone(UTC)
    minutes = max(1, math.ceil((renews - now).total_seconds() / 60))
    values = {"date": formats.date_format(moment, "Y-m-d H:i"), "left": _span(minutes)}
    return _("at %(date)s UTC (in %(left)s)") % values


def _span(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    if hours >= 48:
        return _("%(n)s days") % {"n": hours // 24}
    if hours:
        return _("%(h)s h %(m)s min") % {"h": hours, "m": rest}
    return _("%(n)s min") % {"n": rest}
