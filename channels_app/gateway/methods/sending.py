"""How a message that came over a socket is taken in, for chat.send and agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from channels_app.gateway.call import Call
from channels_app.gateway.errors import invalid
from channels_app.gateway.validation import Params
from sessions.inbox import Accepted, message_accept
from sessions.keys import MAX_KEY, agent_of

Key = Annotated[str, Field(min_length=1, max_length=MAX_KEY)]
RunId = Annotated[str, Field(min_length=1, max_length=200)]


class Attachment(Params):
    """A file: uploaded before and named by `id`, or `content` in base64."""

    id: Annotated[str, Field(max_length=64)] | None = None
    type: Annotated[str, Field(max_length=64)] | None = None
    mime_type: Annotated[str, Field(max_length=128)] | None = None
    file_name: Annotated[str, Field(max_length=255)] | None = None
    content: str | None = None
    size_bytes: int | None = None
    duration_ms: int | None = None
    width: int | None = None
    height: int | None = None


def message_options(**options: Any) -> dict[str, Any]:
    """Options without those that were not given."""
    return {name: value for name, value in options.items() if value is not None}


async def message_send(
    call: Call,
    *,
    session_key: str,
    agent_id: str | None,
    text: str,
    run_id: str,
    attachments: Sequence[Attachment],
    queue_mode: str,
    options: dict[str, Any],
) -> Any:
    """Takes the message, answers `{runId, status}`, then lets its events through."""
    key = await call.session_key(session_key)
    check_agent(key, agent_id)
    connection, hub = call.connection, call.hub
    async with connection.lock(key):
        watch = hub.watch(connection, key, session_key)
        watch.hold()
        hub.expect(key, run_id)
        try:
            accepted = await message_take(call, key, text, run_id, attachments, queue_mode, options)
        except BaseException:
            watch.release()
            if not watch.confirmed and not watch.is_reader:
                hub.unwatch(connection, key)
            raise
        watch.confirm()
        answer = call.answer({"runId": accepted.run_id, "status": accepted.status})
        watch.release()
    return answer


async def message_take(
    call: Call,
    key: str,
    text: str,
    run_id: str,
    attachments: Sequence[Attachment],
    queue_mode: str,
    options: dict[str, Any],
) -> Accepted:
    """Stores the message in the name of the caller."""
    client = call.connection.client
    accepted: Accepted = await call.db(
        message_accept,
        session_key=key,
        text=text,
        run_id=run_id,
        source=f"ws:{call.principal.id}",
        attachments=[item.model_dump(by_alias=True, exclude_none=True) for item in attachments],
        origin={"kind": "web" if call.connection.flavour.is_page else "ws", "client": client.id},
        options=options,
        queue_mode=queue_mode,
    )
    return accepted


def check_agent(key: str, agent_id: str | None) -> None:
    """Raises when a request names an agent and a session of another one."""
    if agent_id and agent_id.lower() != agent_of(key):
        raise invalid(f"agentId {agent_id!r} does not match sessionKey {key!r}")
