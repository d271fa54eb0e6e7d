"""How much ran lately, hour by hour."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.principal import Principal
from channels_app.pages.chart import Chart, bars_chart
from sessions.models import Run
from sessions.run_selectors import visible_runs

HOURS = 24


def runs_by_hour(*, principal: Principal) -> Chart | None:
    """Runs of the last day in the reader's hours, failed ones marked; None when there were none."""
    this_hour = timezone.localtime().replace(minute=0, second=0, microsecond=0)
    first = this_hour - timedelta(hours=HOURS - 1)
    found = visible_runs(principal).filter(started_at__gte=first)
    whole: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    for started, outcome in found.values_list("started_at", "outcome"):
        hour = (started - first) // timedelta(hours=1)
        whole[hour] += 1
        failed[hour] += outcome == Run.Outcome.ERROR
    if not whole:
        return None
    moments = [first + timedelta(hours=hour) for hour in range(HOURS)]
    values = [(f"{moment:%H}:00", whole[hour], failed[hour]) for hour, moment in enumerate(moments)]
    return bars_chart(_("Runs an hour, the last 24 hours"), values)
