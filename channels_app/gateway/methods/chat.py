"""chat.send and chat.abort."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agents.core.principal import WRITE
from channels_app.gateway.call import Call
from channels_app.gateway.methods.sending import (
    Attachment,
    Key,
    RunId,
    message_options,
    message_send,
)
from channels_app.gateway.registry import method
from channels_app.gateway.validation import Params
from sessions.stops import run_stop

Word = Annotated[str, Field(max_length=256)]


class ChatSend(Params):
    """`idempotencyKey` is the run id: the same again does nothing twice."""

    session_key: Key
    message: str
    idempotency_key: RunId
    attachments: Annotated[list[Attachment], Field(max_length=20)] = Field(default_factory=list)
    queue_mode: Word = ""
    thinking: Word | None = None
    model: Word | None = None
    timeout_ms: Annotated[int, Field(ge=0, le=86_400_000)] | None = None
    expected_leaf_entry_id: Annotated[str, Field(max_length=64)] | None = None
    agent_id: Word | None = None
    session_id: Word | None = None
    deliver: bool | None = None
    intent: Word | None = None
    fast_mode: Any = None
    reply_to_id: Word | None = None
    originating_channel: Word | None = None
    originating_to: Word | None = None
    originating_account_id: Word | None = None
    originating_thread_id: Word | None = None
    suppress_command_interpretation: bool | None = None
    system_input_provenance: Any = None
    system_provenance_receipt: Any = None
    tool_bindings: Any = None


class ChatAbort(Params):
    """Without `runId` everything of the session ends, also what waits."""

    session_key: Key
    run_id: RunId | None = None
    agent_id: Word | None = None
    session_id: Word | None = None
    clear_queued: bool | None = None


@method("chat.send", ChatSend, scope=WRITE)
async def chat_send(call: Call, params: ChatSend) -> Any:
    """Stores a message and answers; its events follow under the run id it came with."""
    return await message_send(
        call,
        session_key=params.session_key,
        agent_id=params.agent_id,
        text=params.message,
        run_id=params.idempotency_key,
        attachments=params.attachments,
        queue_mode=params.queue_mode,
        options=message_options(
            thinking=params.thinking,
            model=params.model,
            timeoutMs=params.timeout_ms,
            expectedLeafEntryId=params.expected_leaf_entry_id,
        ),
    )


@method("chat.abort", ChatAbort, scope=WRITE)
async def chat_abort(call: Call, params: ChatAbort) -> Any:
    """Stops one run id or the whole session; the runs end with their own aborted events."""
    key = await call.session_key(params.session_key)
    found = await call.db(run_stop, session_key=key, run_id=params.run_id)
    return {"ok": True, "aborted": bool(found), "runIds": found}
