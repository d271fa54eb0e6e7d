"""The chat page: server-rendered so that it reads without a script, then a client of the socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET

from agents.core.errors import NotFound
from agents.core.principal import Principal
from agents.ids import new_id
from agents.selectors import agent_snapshot, default_agent_slug
from channels_app.pages.approval_cards import ApprovalCard, approval_cards
from channels_app.pages.chat_choices import chat_choices, commands_offered, showing_for_the_script
from channels_app.pages.chat_words import chat_words
from channels_app.pages.door import PageRequest, page, page_render
from channels_app.pages.transcript import TOOLS, transcript_shown
from sessions.approvals.selectors import approvals_pending
from sessions.context.selectors import session_fullness
from sessions.context.settings import BUDGET_SHARE, WARNING_SHARE
from sessions.keys import agent_of, main_key, session_key_normalise, web_key
from sessions.models import Session
from sessions.run_selectors import active_runs
from sessions.selectors import (
    history_entries,
    session_search,
    session_visible,
    sessions_list,
    waiting_items,
)

# One screenful is about ten messages; a long day stays on one page.
HISTORY = 200
SESSIONS = 60


@page
@require_GET
def chat(request: PageRequest) -> HttpResponse:
    """To the conversation that a person means by "the chat"."""
    agent = request.GET.get("agent", "") or default_agent_slug()
    return redirect("chat_session", key=_usual_key(request.principal, agent))


def _usual_key(principal: Principal, agent: str) -> str:
    if principal.is_owner:
        return main_key(agent)
    own = sessions_list(principal=principal, agent_id=agent, limit=1)
    return own[0].key if own else web_key(agent)


@page
@ensure_csrf_cookie
@require_GET
def chat_session(request: PageRequest, key: str) -> HttpResponse:
    """One conversation. A key of the person's own that is not stored yet is an empty one."""
    principal = request.principal
    canonical = session_key_normalise(key, default_agent=default_agent_slug())
    session = _session_or_new(principal, canonical)
    text = request.GET.get("before", "")
    before = int(text) if text.isdecimal() else None
    entries = history_entries(session=session, limit=HISTORY, before_seq=before) if session else []
    waiting = waiting_items(session=session) if session else []
    choices = chat_choices(key=canonical, session=session)
    context = {
        "nav": "chat",
        "rail_template": "parts/session_list.html",
        "session": session,
        "title": session_name(session),
        "session_key": canonical,
        "messages_shown": transcript_shown(entries, choices["showing"]),
        "earlier": entries[0].seq if len(entries) == HISTORY else None,
        "is_older_page": before is not None,
        "waiting": waiting,
        "cards": _cards(principal, session),
        "back": request.get_full_path(),
        "running": _running(principal, session),
        "fullness": session_fullness(session) if session else None,
        "sessions": _sessions(request, canonical),
        "new_run_id": new_id(),
        "words": chat_words(),
        **choices,
    }
    context["chat_settings"] = _for_the_script(context)
    return page_render(request, "pages/chat.html", context)


def _session_or_new(principal: Principal, key: str) -> Session | None:
    try:
        return session_visible(principal=principal, key=key)
    except NotFound:
        # A fresh key cannot be guessed, so saying "empty" for one gives nothing away.
        is_possible = principal.is_owner or key.split(":", 2)[2].startswith("web:")
        if not is_possible or Session.objects.filter(key=key).exists():
            raise
        agent_snapshot(slug=agent_of(key))
        return None


def _running(principal: Principal, session: Session | None) -> list[Any]:
    if session is None:
        return []
    return [run for run in active_runs(principal=principal) if run.session_id == session.pk]


def _cards(principal: Principal, session: Session | None) -> list[ApprovalCard]:
    if session is None:
        return []
    return approval_cards(
        approvals_pending(principal=principal, session_key=session.key), principal
    )


def _for_the_script(context: dict[str, Any]) -> dict[str, Any]:
    shown = context["messages_shown"]
    return {
        "key": context["session_key"],
        "agent": context["agent"],
        "exists": context["session"] is not None,
        "tools": TOOLS,
        "commands": commands_offered(),
        "showing": showing_for_the_script(context["showing"]),
        "inherited": showing_for_the_script(context["inherited_showing"]),
        "tight": BUDGET_SHARE * WARNING_SHARE,
        "version": settings.SPECTACULAR_SETTINGS["VERSION"],
        # The page's script starts from what is on the page already.
        "messages": [
            {"id": m.id, "seq": m.seq, "role": m.role, "run": m.wire_id, "parent": m.parent_id}
            for m in shown
        ],
        "queue": [{"runId": item.wire_id, "text": item.text[:300]} for item in context["waiting"]],
    }


@page
@require_GET
def session_rows(request: PageRequest) -> HttpResponse:
    """The list at the left, as it is now; with `q` the sessions and places that match."""
    key = request.GET.get("key", "")
    context = {"sessions": _sessions(request, key), "session_key": key}
    query = request.GET.get("q", "").strip()
    if query:
        context["hits"] = session_search(principal=request.principal, query=query, limit=12)
        context["query"] = query
    return page_render(request, "parts/session_rows.html", context)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A line of the list at the left. What is not stored yet cannot be named or deleted."""

    key: str
    name: str
    label: str = ""
    is_stored: bool = True


def _sessions(request: PageRequest, key: str) -> list[SessionRow]:
    query = request.GET.get("q", "").strip()
    found = sessions_list(principal=request.principal, search=query, limit=SESSIONS)
    rows = [SessionRow(session.key, session_name(session), session.label) for session in found]
    if key and not query and all(row.key != key for row in rows):
        # The open conversation stands in the list from the first moment on.
        rows.insert(0, SessionRow(key, _("New session"), is_stored=False))
    return rows


def session_name(session: Session | None) -> str:
    """What people call a session: its name, its first message, or that it is new."""
    return (session and (session.label or session.title)) or _("New session")
