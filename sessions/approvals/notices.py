"""Which questions have to be told elsewhere than on the pages that are open."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone

from sessions.approvals.config_section import approvals_settings
from sessions.approvals.notice_routes import Notice
from sessions.approvals.shapes import approval_json, command_text, preview
from sessions.models import Approval


def notices_claim() -> list[Notice]:
    """The notices that have to be sent now; each is given out once, to one worker.

    Queries nothing but the settings while nothing is forwarded.
    """
    settings = approvals_settings()
    if not (settings.exec.enabled or settings.plugin.enabled):
        return []
    untold = Approval.objects.filter(
        state=Approval.State.PENDING, notified_at=None, expires_at__gt=timezone.now()
    )
    return [
        notice
        for approval in untold.select_related("run", "session")
        for notice in _notices(approval)
    ]


def notice_text(approval: Approval) -> str:
    """What people read: what is asked, and how to answer."""
    choices = " | ".join(approval.decisions)
    seconds = max(0, round((approval.expires_at - timezone.now()).total_seconds()))
    asked = preview(command_text(approval))
    return (
        f"{approval.agent_slug} asks for approval of {approval.tool}: {asked}\n"
        f"{approval.reason}\n"
        f"Answer within {seconds} s with /approve {approval.slug} {choices}"
    ).replace("\n\n", "\n")


def _notices(approval: Approval) -> Iterator[Notice]:
    key = approval.session.key if approval.session is not None else ""
    forwarding = approvals_settings().forwarding(approval.kind)
    if not forwarding.concerns(agent=approval.agent_slug, session_key=key):
        return
    places = list(forwarding.places(key))
    unclaimed = Approval.objects.filter(pk=approval.pk, notified_at=None)
    # Stamped first: a notice that may have gone out is not sent again.
    if not places or not unclaimed.update(notified_at=timezone.now()):
        return
    payload, text = approval_json(approval), notice_text(approval)
    for place in places:
        yield Notice(
            approval_id=approval.pk,
            route=place.channel,
            to=place.to,
            secret=place.secret,
            text=text,
            payload=payload,
        )
