"""When a session goes on to its next credential: nothing is left that a service has cached."""

from __future__ import annotations

from agents.catalog.resolve import default_model_ref
from agents.core.errors import OpenClawError
from agents.credentials.selectors import credential_after
from agents.selectors import agent_model, agent_snapshot
from sessions.models import Session


def session_credential_move(*, session: Session) -> None:
    """Leaves the credential that the session kept for the one behind it (runtime.md 2.9).

    For a new conversation and after a compaction. A pinned one stays. Costs no query while the
    session has kept none. Never raises for what is configured wrongly.
    """
    if not session.profile or session.profile_pinned:
        return
    try:
        snapshot = agent_snapshot(slug=session.agent_slug)
        ref = session.model or default_model_ref(agent_model=snapshot.model)
        model = agent_model(slug=session.agent_slug, ref=ref)
        following = credential_after(model=model, agent=session.agent_slug, current=session.profile)
    except OpenClawError:
        return
    if following != session.profile:
        # A person may have pinned another one meanwhile.
        Session.objects.filter(pk=session.pk, profile_pinned=False).update(profile=following)
        session.profile = following
