"""The tool `session_status`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError, UserError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from sessions.status_card import (
    session_model_set,
    session_named,
    status_card,
    status_details,
)
from tools.arguments import text_argument

_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "sessionKey": {
            "type": "string",
            "description": "Another session; this one unless it is given.",
        },
        "model": {
            "type": "string",
            "description": "Sets the session's model: provider/model or an alias; default gives "
            "it back to the agent. It holds from the next turn on.",
        },
    },
    "additionalProperties": False,
}


class SessionStatusTool:
    """Tells how a session stands, and sets its model where that is asked for."""

    name = "session_status"
    label = "Session status"
    description = (
        "See the time in the person's time zone, and the model, levels, use of the context, "
        "tokens, cost and queue of a session. Can set the model of the session."
    )
    parameters = _PARAMETERS
    repeatable = True
    execution: Literal["parallel", "sequential"] = "parallel"

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The status card. Raises ToolError for a session or a model that cannot be named."""
        try:
            return await run_db(_status, arguments, context)
        except UserError as error:
            raise ToolError(error.message) from error


SESSION_STATUS = SessionStatusTool()


def _status(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    key = text_argument(arguments, "sessionKey") if arguments.get("sessionKey") else ""
    session = session_named(context=context, key=key)
    if arguments.get("model") is not None:
        model = text_argument(arguments, "model")
        session = session_model_set(principal=context.principal, session=session, model=model)
    card = status_card(context=context, session=session)
    return ToolResult.text(card, **status_details(session))
