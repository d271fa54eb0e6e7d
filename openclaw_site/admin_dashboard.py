"""The first page of the admin: what runs, what failed today, who spent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.admin.wording import ago, count, excerpt, length, money
from sessions.models import ModelCall, Run
from sessions.spending import spending_list, spending_total

SHOWN = 6
SPENDING_DAYS = 7


def midnight() -> datetime:
    """The beginning of the owner's own today."""
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def failed_today() -> QuerySet[Run]:
    """Runs of today that ended with an error, the newest first."""
    return Run.objects.filter(outcome=Run.Outcome.ERROR, started_at__gte=midnight())


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The context of the page; one card for each question."""
    return {**context, "title": _("Overview"), "cards": [_now(), _failed(), _spent()]}


def _now() -> dict[str, Any]:
    runs = Run.objects.exclude(state=Run.State.ENDED).select_related("person")
    rows = [
        {
            "words": excerpt(run.preview, 60) or run.pk,
            "link": reverse("run", args=[run.pk]),
            "detail": f"{run.agent_slug} · {run.person}",
            "figure": length(run.started_at, timezone.now()),
        }
        for run in runs.order_by("-started_at")[:SHOWN]
    ]
    return {
        "title": _("What runs now"),
        "figure": count(runs.count()),
        "link": reverse("admin:agent_sessions_run_changelist") + "?standing=open",
        "rows": rows,
        "empty": _("No agent is working."),
    }


def _failed() -> dict[str, Any]:
    runs = failed_today().select_related("person")
    rows = [
        {
            "words": excerpt(run.error_message or run.error_kind, 90),
            "link": reverse("run", args=[run.pk]),
            "detail": f"{run.agent_slug} · {run.person}",
            "figure": ago(run.started_at),
        }
        for run in runs.order_by("-started_at")[:SHOWN]
    ]
    return {
        "title": _("What failed today"),
        "figure": count(runs.count()),
        "link": reverse("admin:agent_sessions_run_changelist") + "?standing=error&when=today",
        "rows": rows,
        "empty": _("Nothing failed today."),
        "is_bad": bool(rows),
    }


def _spent() -> dict[str, Any]:
    since = midnight() - timedelta(days=SPENDING_DAYS - 1)
    calls = ModelCall.objects.filter(started_at__gte=since)
    page = reverse("admin:agent_sessions_spending_changelist")
    total = spending_total(calls=calls)
    rows = [
        {
            "words": row.name,
            "link": f"{page}?when=week",
            "detail": _("%(n)s tokens") % {"n": count(row.tokens)},
            "figure": money(row.cost, known=row.cost_known),
            "percent": round(row.share * 100, 1),
        }
        for row in spending_list(calls=calls, by="agent", limit=SHOWN)
    ]
    return {
        "title": _("Who spent, last 7 days"),
        "figure": money(total.cost, known=total.cost_known),
        "link": f"{page}?when=week",
        "rows": rows,
        "empty": _("No model was called."),
    }
