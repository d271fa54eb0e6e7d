"""sessions.subscribe and sessions.messages.subscribe: what a socket is told of by itself."""

from __future__ import annotations

from typing import Annotated, Any

import redis
import structlog
from pydantic import Field

from agents.core.principal import READ, Principal
from channels_app.gateway.call import Call
from channels_app.gateway.hub.hub import Hub
from channels_app.gateway.hub.watch import Watch
from channels_app.gateway.methods.sending import Key, check_agent
from channels_app.gateway.methods.sessions import SessionsList, list_payload
from channels_app.gateway.registry import method
from channels_app.gateway.validation import Params
from sessions.live import position_now, stream_after
from sessions.models import InboxItem
from sessions.selectors import session_visible

log = structlog.get_logger(__name__)

Word = Annotated[str, Field(max_length=512)]


class Subscribe(SessionsList):
    """With any of the list's params the answer holds the list too."""


class MessagesSubscribe(Params):
    """`after` is the last position that the client saw."""

    key: Key
    after: Annotated[str, Field(max_length=128)] | None = None
    agent_id: Word | None = None
    include_approvals: bool | None = None


class MessagesUnsubscribe(Params):
    """Names one session."""

    key: Key
    agent_id: Word | None = None


class Empty(Params):
    """No params."""


@method("sessions.subscribe", Subscribe, scope=READ)
async def subscribe(call: Call, params: Subscribe) -> Any:
    """From now on changes to visible sessions are told as `sessions.changed`."""
    call.connection.wants_sessions = True
    if not params.model_fields_set:
        return {"subscribed": True}
    return {"subscribed": True, "list": await call.db(list_payload, params=params)}


@method("sessions.unsubscribe", Empty, scope=READ)
async def unsubscribe(call: Call, params: Empty) -> Any:
    """Ends `sessions.subscribe`."""
    call.connection.wants_sessions = False
    return {"subscribed": False}


@method("sessions.messages.unsubscribe", MessagesUnsubscribe, scope=READ)
async def messages_unsubscribe(call: Call, params: MessagesUnsubscribe) -> Any:
    """Ends everything that this socket is told of a session."""
    key = await call.session_key(params.key)
    call.hub.unwatch(call.connection, key)
    return {"subscribed": False, "key": key}


@method("sessions.messages.subscribe", MessagesSubscribe, scope=READ)
async def messages_subscribe(call: Call, params: MessagesSubscribe) -> Any:
    """Opens a session: its messages and running turns are told from now on.

    With `after` first what happened since, then `{replayed: n}`; `{startOver: true}` when that is
    not known any more, and the client must read the history. A session that does not exist may be
    opened: whose it is decides itself with the first message.
    """
    key = await call.session_key(params.key)
    check_agent(key, params.agent_id)
    hub = call.hub
    watch = hub.watch(call.connection, key, params.key)
    watch.is_reader = True
    watch.hold()
    try:
        answer: dict[str, Any] = {"subscribed": True, "key": key}
        if await hub.confirm(key, watch):
            session_id, wires = await call.db(_open_runs, key=key)
            for wire in wires:
                hub.expect(key, wire)
            answer |= await _position(hub, watch, session_id, params.after)
        elif params.after:
            answer["startOver"] = True
        return call.answer(answer)
    finally:
        watch.release()


def _open_runs(*, principal: Principal, key: str) -> tuple[str, list[str]]:
    """The session's id and the run ids in it that have not ended."""
    session = session_visible(principal=principal, key=key)
    open_items = InboxItem.objects.filter(session=session, outcome="")
    return session.pk, list(open_items.values_list("wire_id", flat=True))


async def _position(hub: Hub, watch: Watch, session_id: str, after: str | None) -> dict[str, Any]:
    try:
        if after is None:
            return {"position": await position_now(session_id)}
        records = await stream_after(session_id, after)
        if records is None:
            return {"startOver": True, "position": await position_now(session_id)}
    except (redis.RedisError, OSError) as error:
        log.warning("gateway.replay_failed", error=str(error))
        return {"startOver": True} if after else {}
    await hub.replay(watch, records)
    return {"replayed": len(records), "position": records[-1][0] if records else after}
