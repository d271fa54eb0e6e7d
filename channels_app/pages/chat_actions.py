"""What a person does to a conversation through a form: new, name, delete, settings, send."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from agents.core.errors import OpenClawError, UserError
from agents.workspace import MAIN_SLUG
from channels_app.pages.door import PageRequest, page, writers_only
from channels_app.uploads import upload_store
from sessions.inbox import message_accept
from sessions.keys import session_key_normalise
from sessions.services import session_create, session_delete, session_patch


@page
@require_POST
def session_new(request: PageRequest) -> HttpResponse:
    """A fresh conversation with an agent."""
    writers_only(request)
    agent = request.POST.get("agent", "")
    session = session_create(principal=request.principal, agent_id=agent)
    return redirect("chat_session", key=session.key)


@page
@require_POST
def session_rename(request: PageRequest) -> HttpResponse:
    """Another name; an empty one gives the derived title back."""
    writers_only(request)
    key = request.POST.get("key", "")
    label = request.POST.get("label", "").strip() or None
    return _changed(request, key, {"label": label})


@page
@require_POST
def session_settings(request: PageRequest) -> HttpResponse:
    """The model of this conversation; empty means the agent's own."""
    writers_only(request)
    key = request.POST.get("key", "")
    return _changed(request, key, {"model": request.POST.get("model", "") or None})


def _changed(request: PageRequest, key: str, changes: dict[str, Any]) -> HttpResponse:
    session_create(principal=request.principal, key=key)
    session_patch(principal=request.principal, key=key, changes=changes)
    return _to_chat(request.POST.get("back", "") or key)


def _to_chat(key: str) -> HttpResponse:
    """To a conversation; to the newest one where `key` can be none."""
    try:
        session_key_normalise(key, default_agent=MAIN_SLUG)
    except UserError:
        return redirect("chat")
    return redirect("chat_session", key=key.strip())


@page
@require_POST
def session_remove(request: PageRequest) -> HttpResponse:
    """Deletes a conversation with its runs."""
    writers_only(request)
    key, back = request.POST.get("key", ""), request.POST.get("back", "")
    try:
        session_delete(principal=request.principal, key=key)
    except OpenClawError as error:
        messages.error(request, error.message)
        return _to_chat(back or key)
    messages.success(request, _("The session is deleted."))
    return _to_chat(back if back != key else "")


@page
@require_POST
def message_send(request: PageRequest) -> HttpResponse:
    """The composer without a script: the same custody as the socket, then back to the page."""
    writers_only(request)
    key = request.POST.get("key", "")
    principal = request.principal
    try:
        files = [
            upload_store(principal=principal, file=file, session_key=key)
            for file in request.FILES.getlist("files")
        ]
        message_accept(
            principal=principal,
            session_key=key,
            text=request.POST.get("text", ""),
            run_id=request.POST.get("run_id", ""),
            source=f"web:{principal.id}",
            attachments=[{"id": file.pk} for file in files],
            origin={"kind": "web"},
        )
    except OpenClawError as error:
        messages.error(request, error.message)
    return _to_chat(key)
