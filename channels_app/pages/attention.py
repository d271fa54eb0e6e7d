"""What needs a person: things that no program should decide alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.principal import Principal
from channels_app.models import Device
from sessions.approvals.selectors import approvals_pending
from sessions.approvals.shapes import command_text, preview
from sessions.models import Delivery, Run
from sessions.run_selectors import runs_list

# Older failures are history: the run list has them.
RECENT = timedelta(hours=24)
MOST = 12


@dataclass(frozen=True, slots=True)
class Matter:
    """One line of the list: what happened, and where it can be looked at."""

    kind: str
    word: str
    text: str
    href: str
    at: datetime


def attention_list(*, principal: Principal) -> list[Matter]:
    """Questions that wait and failed runs of the last day; for owners also uncertain deliveries
    and waiting devices."""
    found = [*_questions(principal), *_failed_runs(principal)]
    if principal.is_owner:
        found += [*_deliveries(), *_devices()]
    return sorted(found, key=lambda matter: matter.at, reverse=True)[:MOST]


def _questions(principal: Principal) -> list[Matter]:
    return [
        Matter(
            "warn",
            _("decide"),
            _("%(agent)s asks: %(what)s")
            % {"agent": approval.agent_slug, "what": preview(command_text(approval))},
            f"{reverse('approvals')}#approval-{approval.pk}",
            approval.created_at,
        )
        for approval in approvals_pending(principal=principal)[:MOST]
    ]


def _failed_runs(principal: Principal) -> list[Matter]:
    since = timezone.now() - RECENT
    failed = runs_list(principal=principal, state=Run.Outcome.ERROR, limit=MOST)
    return [
        Matter("bad", _("failed"), run.error_message or run.preview, _run(run.id), run.ended_at)
        for run in failed
        if run.ended_at and run.ended_at > since
    ]


def _deliveries() -> list[Matter]:
    states = Delivery.State
    words = {states.UNKNOWN: ("warn", _("unknown")), states.FAILED: ("bad", _("not delivered"))}
    found = Delivery.objects.filter(state__in=list(words)).order_by("-created_at")[:MOST]
    return [
        Matter(
            *words[states(delivery.state)],
            _("Reply to %(kind)s: %(error)s")
            % {"kind": delivery.kind, "error": delivery.error or _("no receipt came back")},
            _run(delivery.run_id),
            delivery.created_at,
        )
        for delivery in found
    ]


def _devices() -> list[Matter]:
    waiting = Device.objects.filter(approved_at=None, revoked_at=None)[:MOST]
    return [
        Matter(
            "warn",
            _("waits"),
            _("The device %(name)s asks to be paired") % {"name": device},
            reverse("admin:channels_app_device_change", args=[device.pk]),
            device.requested_at,
        )
        for device in waiting
    ]


def _run(run_id: str) -> str:
    return reverse("run", args=[run_id])
