# ruff: noqa: TID252 - a plugin in a folder has no absolute name
"""A method of the WebSocket protocol."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from .notes import NOTEBOOKS


class ListNotes(BaseModel):
    """What a client sends."""

    model_config = ConfigDict(extra="forbid")

    agent: str = "main"


async def notes_list(call: Any, params: ListNotes) -> dict[str, Any]:
    """The payload of the answer. `call.principal` is who asks."""
    return {"agent": params.agent, "notes": NOTEBOOKS.of(params.agent)}
