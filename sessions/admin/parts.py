"""What the lists of conversations and runs share: links between them, texts cut by the database."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html

from agents.admin.base import Shown
from agents.admin.wording import UNKNOWN, excerpt
from agents.core.principal import Principal
from sessions.models import Session
from sessions.people import person_for_user

_FIRST_TEXT = re.compile(r'"(?:text|content)":\s*"((?:[^"\\]|\\.)*)')
_LAST_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def principal_of(request: Any) -> Principal:
    """The owner at the page."""
    return person_for_user(user=request.user).principal()


def link(address: str, words: str) -> Shown:
    """A link, or a dash without words."""
    if not words:
        return UNKNOWN
    return format_html('<a class="text-link" href="{}">{}</a>', address, words)


def page_link(name: str, words: str, *parts: str) -> Shown:
    """A link to a page of the product, plain words where the page is not there."""
    try:
        return link(reverse(name, args=parts), words)
    except NoReverseMatch:
        return words


def run_link(run_id: str) -> Shown:
    """A link to the timeline of a run; its last characters tell runs of one minute apart."""
    return page_link("run", f"…{run_id[-8:]}", run_id) if run_id else UNKNOWN


def session_link(session: Session) -> Shown:
    """A link to the session's page in the admin."""
    address = reverse("admin:agent_sessions_session_change", args=[session.pk])
    return link(address, excerpt(str(session), 36))


def list_link(model: str, words: str, **query: str) -> Shown:
    """A link to a list of this app in the admin."""
    address = reverse(f"admin:agent_sessions_{model}_changelist")
    return link(f"{address}?{urlencode(query)}", words)


def first_text(raw: str) -> str:
    """The first words in the beginning of a stored message; its JSON may be cut anywhere."""
    found = _FIRST_TEXT.search(raw)
    if found is None:
        return ""
    text = _LAST_ESCAPE.sub("", found[1])
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text
