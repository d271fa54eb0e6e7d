"""sessions.*: the list, and changes to one session."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from agents.catalog.resolve import default_model_ref
from agents.core.errors import NotFound
from agents.core.messages import now_ms
from agents.core.principal import READ, WRITE, Principal
from agents.ids import new_id
from channels_app.gateway.call import Call
from channels_app.gateway.hub.follower import ended_from_status
from channels_app.gateway.methods.sending import (
    Attachment,
    Key,
    RunId,
    check_agent,
    message_options,
    message_take,
)
from channels_app.gateway.registry import method
from channels_app.gateway.session_rows import session_row
from channels_app.gateway.validation import Params
from sessions.context.selectors import compaction_of
from sessions.models import Session
from sessions.options import session_options
from sessions.run_selectors import active_runs, run_status
from sessions.selectors import session_search, session_visible, sessions_count, sessions_list
from sessions.services import session_create, session_delete, session_patch, session_reset

Word = Annotated[str, Field(max_length=512)]


class SessionsList(Params):
    """Filters that have no meaning here yet are accepted and change nothing."""

    limit: Annotated[int, Field(ge=1, le=10_000)] = 100
    offset: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0
    agent_id: Word = ""
    search: Word = ""
    archived: bool | Literal["all"] = False
    active_only: bool = False
    label: Word | None = None
    active_minutes: Annotated[int, Field(ge=0)] | None = None
    include_global: bool | None = None
    include_unknown: bool | None = None
    include_derived_titles: bool | None = None
    include_last_message: bool | None = None
    configured_agents_only: bool | None = None
    include_people: bool | None = None
    require_last_interaction: bool | None = None
    owner_first: bool | None = None
    involving_me: bool | None = None
    owner_id: Word | None = None
    creator_id: Word | None = None
    board_face: Word | None = None
    spawned_by: Word | None = None
    sort_by: Literal["updatedAt", "lastInteractionAt"] = "updatedAt"


class SessionsCreate(Params):
    """With `message` the first turn begins at once, under `idempotencyKey`."""

    key: Key | None = None
    agent_id: Word = ""
    label: Annotated[str, Field(max_length=64)] = ""
    display_name: Annotated[str, Field(max_length=64)] = ""
    model: Word = ""
    thinking_level: Word | None = None
    message: str | None = None
    task: str | None = None
    attachments: Annotated[list[Attachment], Field(max_length=20)] = Field(default_factory=list)
    idempotency_key: RunId | None = None
    parent_session_key: Key | None = None


class SessionsPatch(Params):
    """A value sets, null clears; what is left out stays."""

    key: Key
    agent_id: Word | None = None
    label: Annotated[str, Field(max_length=64)] | None = None
    display_name: Annotated[str, Field(max_length=64)] | None = None
    model: Word | None = None
    thinking_level: Word | None = None
    elevated_level: Word | None = None
    verbose_level: Word | None = None
    reasoning_level: Word | None = None
    trace_level: Word | None = None
    queue_mode: Word | None = None
    archived: bool | None = None


class SessionKey(Params):
    """Names one session."""

    key: Key
    agent_id: Word | None = None
    delete_transcript: bool | None = None
    emit_lifecycle_hooks: bool | None = None
    include_derived_titles: bool | None = None
    include_last_message: bool | None = None


class SessionsReset(Params):
    """Starts another transcript under the same key."""

    key: Key
    agent_id: Word | None = None
    reason: Literal["new", "reset"] = "new"


class SessionsCompact(Params):
    """Without `maxLines` a model writes a summary; with it only so many messages are kept."""

    key: Key
    agent_id: Word | None = None
    max_lines: Annotated[int, Field(ge=1, le=100_000)] | None = None
    instructions: Annotated[str, Field(max_length=4_000)] = ""
    idempotency_key: RunId | None = None


class SessionsSearch(Params):
    """Looks for words in what was said."""

    query: Annotated[str, Field(min_length=1, max_length=500)]
    agent_id: Word = ""
    session_keys: Annotated[list[Key], Field(max_length=200)] = Field(default_factory=list)
    limit: Annotated[int, Field(ge=1, le=200)] = 20


def list_payload(*, principal: Principal, params: SessionsList) -> dict[str, Any]:
    """The answer of sessions.list, newest first."""
    active = {run.session.key for run in active_runs(principal=principal)}
    found = sessions_list(
        principal=principal,
        agent_id=params.agent_id,
        search=params.search or params.label or "",
        limit=params.limit + 1,
        offset=params.offset,
        include_archived=params.archived is not False,
    )
    has_more = len(found) > params.limit
    rows = [session_row(session, active=active) for session in found[: params.limit]]
    if params.active_only:
        rows = [row for row in rows if row["hasActiveRun"]]
    if params.archived is True:
        rows = [row for row in rows if row["archived"]]
    return {
        "ts": now_ms(),
        "count": len(rows),
        "totalCount": sessions_count(principal=principal),
        "limitApplied": params.limit,
        "offset": params.offset,
        "hasMore": has_more,
        **({"nextOffset": params.offset + params.limit} if has_more else {}),
        "defaults": _defaults(),
        "sessions": rows,
    }


def _defaults() -> dict[str, Any]:
    provider, _, model = default_model_ref(agent_model="").partition("/")
    return {"modelProvider": provider, "model": model}


@method("sessions.list", SessionsList, scope=READ)
async def list_sessions(call: Call, params: SessionsList) -> Any:
    """The sessions that the caller may see."""
    return await call.db(list_payload, params=params)


@method("sessions.create", SessionsCreate, scope=WRITE)
async def create(call: Call, params: SessionsCreate) -> Any:
    """Makes a session, and begins its first turn when there is a message."""
    session: Session = await call.db(
        session_create,
        key=params.key or "",
        agent_id=params.agent_id.lower(),
        label=params.label or params.display_name,
        model=params.model,
    )
    if params.thinking_level is not None:
        changes = {"thinkingLevel": params.thinking_level}
        session = await call.db(session_patch, key=session.key, changes=changes)
    row = await call.db(_row, key=session.key)
    answer = {"ok": True, "key": session.key, "sessionId": row.get("sessionId"), "entry": row}
    text = params.message or params.task
    if not text:
        return {**answer, "runStarted": False}
    run_id = params.idempotency_key or call.request_id
    call.hub.watch(call.connection, session.key).confirm()
    call.hub.expect(session.key, run_id)
    accepted = await message_take(
        call, session.key, text, run_id, params.attachments, "", message_options()
    )
    return {**answer, "runStarted": True, "runId": accepted.run_id}


def _row(*, principal: Principal, key: str) -> dict[str, Any]:
    return session_row(session_visible(principal=principal, key=key))


@method("sessions.patch", SessionsPatch, scope=WRITE)
async def patch(call: Call, params: SessionsPatch) -> Any:
    """Renames a session, or sets its model, levels, queue mode or archived mark."""
    key = await call.session_key(params.key)
    check_agent(key, params.agent_id)
    changes = params.model_dump(by_alias=True, exclude_unset=True, exclude={"key", "agent_id"})
    await call.db(session_patch, key=key, changes=changes)
    row, resolved = await call.db(_resolved, key=key)
    return {"ok": True, "key": key, "entry": row, "resolved": resolved}


def _resolved(*, principal: Principal, key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The row, and what a message would get with it: the model, and the level it can do."""
    session = session_visible(principal=principal, key=key)
    options = session_options(session=session)
    model = options.model
    return session_row(session), {
        "modelProvider": model.provider if model else None,
        "model": model.id if model else None,
        "thinkingLevel": options.used,
        "thinkingLevels": list(options.levels),
        "verboseLevel": options.showing.verbose,
        "reasoningLevel": options.showing.reasoning,
        "traceLevel": options.showing.trace,
    }


@method("sessions.reset", SessionsReset, scope=WRITE)
async def reset(call: Call, params: SessionsReset) -> Any:
    """Begins a new conversation under the same key; the old one stays stored."""
    key = await call.session_key(params.key)
    check_agent(key, params.agent_id)
    await call.db(session_reset, key=key, reason=params.reason)
    return {"ok": True, "key": key, "entry": await call.db(_row, key=key)}


@method("sessions.compact", SessionsCompact, scope=WRITE)
async def compact(call: Call, params: SessionsCompact) -> Any:
    """Makes the conversation smaller and answers when that is done; what runs is stopped."""
    key = await call.session_key(params.key)
    check_agent(key, params.agent_id)
    await call.db(session_visible, key=key)
    run_id = params.idempotency_key or f"compact-{new_id()}"
    options = {"compact": {"keep": params.max_lines}} if params.max_lines else {}
    text = f"/compact {params.instructions}".strip()
    with call.hub.follow(key, run_id) as follower:
        accepted = await message_take(call, key, text, run_id, (), "", options)
        if accepted.status in ("ok", "error"):
            status = await call.db(run_status, run_id=run_id)
            follower.end(ended_from_status(status))
        ended = await follower.wait()
    result = await call.db(compaction_of, run_id=run_id)
    reason = ended.text or ended.error_message or ended.state
    return {"ok": True, "key": key, "runId": run_id, "text": reason, **result}


@method("sessions.delete", SessionKey, scope=WRITE)
async def delete(call: Call, params: SessionKey) -> Any:
    """Deletes a session with everything that was said in it."""
    key = await call.session_key(params.key)
    check_agent(key, params.agent_id)
    await call.db(session_delete, key=key)
    return {"ok": True, "key": key, "deleted": True, "archived": []}


@method("sessions.describe", SessionKey, scope=READ)
async def describe(call: Call, params: SessionKey) -> Any:
    """One row, null when there is no such session."""
    key = await call.session_key(params.key)
    try:
        return {"session": await call.db(_row, key=key)}
    except NotFound:
        return {"session": None}


@method("sessions.search", SessionsSearch, scope=READ)
async def search(call: Call, params: SessionsSearch) -> Any:
    """Places where the words were said, newest first."""
    hits = await call.db(
        session_search,
        query=params.query,
        limit=params.limit,
        agent_id=params.agent_id.lower(),
        keys=[await call.session_key(key) for key in params.session_keys],
    )
    return {"query": params.query, "count": len(hits), "results": hits}
