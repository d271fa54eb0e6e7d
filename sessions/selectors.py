"""Reads: what a person may see of sessions and transcripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.db.models import Q

from agents.core.json_codec import message_from_json
from agents.core.messages import Text, blocks_text, user_text
from agents.core.principal import Principal
from agents.selectors import default_agent_slug
from sessions.access import session_not_found, visible_sessions
from sessions.keys import session_key_normalise
from sessions.models import Entry, InboxItem, Session, Transcript
from sessions.wakes import is_wake

# Entries that one search reads at most: the pattern also meets the keys of the stored JSON.
_SEARCHED = 1000


def session_visible(*, principal: Principal, key: str) -> Session:
    """The session of a key or alias. Raises NotFound when it is missing or somebody else's."""
    canonical = session_key_normalise(key, default_agent=default_agent_slug())
    session = (
        visible_sessions(principal).select_related("current", "owner").filter(key=canonical).first()
    )
    if session is None:
        raise session_not_found(key)
    return session


def sessions_list(
    *,
    principal: Principal,
    agent_id: str = "",
    search: str = "",
    limit: int = 100,
    offset: int = 0,
    include_archived: bool = False,
) -> list[Session]:
    """Visible sessions, last changed first. `search` looks at name, title, key and preview."""
    sessions = visible_sessions(principal).select_related("current", "owner")
    if agent_id:
        sessions = sessions.filter(agent_slug=agent_id)
    if not include_archived:
        sessions = sessions.filter(archived_at=None)
    if search:
        sessions = sessions.filter(
            Q(label__icontains=search)
            | Q(title__icontains=search)
            | Q(key__icontains=search)
            | Q(preview__icontains=search)
        )
    return list(sessions.order_by("-updated_at")[offset : offset + limit])


def sessions_count(*, principal: Principal) -> int:
    """How many sessions are visible, archived ones left out."""
    return visible_sessions(principal).filter(archived_at=None).count()


def history_entries(
    *, session: Session, limit: int = 200, before_seq: int | None = None
) -> list[Entry]:
    """The newest `limit` entries of the active branch before `before_seq`, oldest first."""
    if session.current is None:
        return []
    return branch_entries(transcript=session.current, limit=limit, before_seq=before_seq)


def branch_entries(
    *,
    transcript: Transcript,
    leaf: str = "",
    limit: int | None = None,
    before_seq: int | None = None,
) -> list[Entry]:
    """Entries from the root to `leaf` (default: the active one), oldest first; the last `limit`.

    Walks parent links in memory: forks are rare and short, so nearly all rows read are wanted.
    """
    found: list[Entry] = []
    wanted = leaf or transcript.leaf
    rows = Entry.objects.filter(transcript=transcript).order_by("-seq")
    for entry in rows.iterator(chunk_size=500):
        if entry.entry_id != wanted:
            continue
        wanted = entry.parent_id
        if before_seq is None or entry.seq < before_seq:
            found.append(entry)
        if not wanted or (limit is not None and len(found) >= limit):
            break
    found.reverse()
    return found


def waiting_items(*, session: Session) -> list[InboxItem]:
    """Messages of people that no turn has taken yet, in order of arrival."""
    waiting = InboxItem.objects.filter(session=session, outcome="", run=None).order_by("id")
    return [item for item in waiting if not is_wake(item)]


def entry_text(entry: Entry) -> str:
    """The readable text of an entry, "" for marks without any."""
    if entry.type != Entry.Type.MESSAGE:
        return ""
    message = message_from_json(entry.body)
    if message.role == "user":
        return user_text(message)
    if message.role == "toolResult":
        return blocks_text(message.content)
    return "".join(block.text for block in message.content if isinstance(block, Text))


def session_search(
    *,
    principal: Principal,
    query: str,
    limit: int = 20,
    agent_id: str = "",
    keys: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Places in visible transcripts where `query` was said, newest first."""
    needle = query.strip()
    if not needle:
        return []
    sessions = visible_sessions(principal)
    if agent_id:
        sessions = sessions.filter(agent_slug=agent_id)
    if keys:
        sessions = sessions.filter(key__in=keys)
    entries = (
        Entry.objects.filter(transcript__session__in=sessions, role__in=["user", "assistant"])
        .filter(_body_has(needle))
        .select_related("transcript__session")
        .order_by("-created_at")[:_SEARCHED]
    )
    hits: list[dict[str, Any]] = []
    for entry in entries.iterator(chunk_size=100):
        text = entry_text(entry)
        at = text.lower().find(needle.lower())
        if at < 0:
            continue
        session = entry.transcript.session
        hits.append(
            {
                "sessionKey": session.key,
                "sessionId": entry.transcript_id,
                "entryId": entry.entry_id,
                "role": entry.role,
                "title": str(session),
                "snippet": text[max(0, at - 60) : at + 100],
                "at": int(entry.created_at.timestamp() * 1000),
            }
        )
        if len(hits) >= limit:
            break
    return hits


def _body_has(needle: str) -> Q:
    """Entries whose stored JSON may hold `needle`, in the spellings that databases keep.

    SQLite keeps JSON as it was written, everything outside ASCII escaped, and folds the case of
    ASCII only; PostgreSQL escapes quotes and backslashes.
    """
    found = Q()
    for spelling in {needle, needle.lower(), needle.upper(), needle.capitalize()}:
        for ascii_only in (True, False):
            found |= Q(body__icontains=json.dumps(spelling, ensure_ascii=ascii_only)[1:-1])
    return found
