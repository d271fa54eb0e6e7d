# ruff: noqa: TID252 - a plugin in a folder has no absolute name
"""A notebook for every agent: an example that registers one of each kind of contribution.

The whole plugin is this package. `id` is what the configuration calls it; `register` is called once
when a process of the gateway starts, and only when an administrator has enabled the plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .context import PlainEngine
from .media import Painter, Rustler
from .memory import LastNotes
from .methods import ListNotes, notes_list
from .notes import NOTEBOOKS
from .provider import Echo, quiet
from .tools import AddNote, ClearNotes

id = "notebook"
name = "Notebook"
version = "1.0"


def register(api: Any) -> None:
    """Says what the plugin adds. Nothing takes effect before this has returned."""
    limit = int(api.config.get("limit", 100))
    # A tool that is made for each turn: it knows whose notebook it writes into.
    api.register_tool_factory("notebook_add", lambda context: AddNote(context.agent_id, limit))
    # A tool that nobody has unless a rule names it: tools.alsoAllow: ["notebook_clear"].
    api.register_tool(ClearNotes(), optional=True)
    # A wire format: models.providers.<name>.api = "notebook/echo".
    api.register_provider("notebook/echo", Echo)
    # Looks at the stream of every model call.
    api.register_stream_wrapper("notebook-quiet", quiet)
    # Makers of pictures and of speech, for models of a provider of the same name.
    api.contribute("image_maker", "notebook", Painter())
    api.contribute("speech_maker", "notebook", Rustler())
    # plugins.slots.contextEngine = "notebook".
    api.register_context_engine("notebook", PlainEngine)
    # plugins.slots.memory = "notebook".
    api.register_memory_backend("notebook", LastNotes())
    # A method of the WebSocket protocol.
    api.register_gateway_method("notebook.list", ListNotes, notes_list, scope="operator.read")
    # Skills: these tell an agent when to write a note.
    api.register_skills(Path(__file__).parent / "skills")
    # Something that begins and ends with each process of the gateway.
    api.register_service("notebook", NOTEBOOKS.open, NOTEBOOKS.close)
    # Hooks: this one tells the model how many notes there are.
    api.on("before_prompt_build", tell)


def tell(_event: Mapping[str, Any], ctx: Any) -> Mapping[str, Any] | None:
    """Adds a line to the system prompt of agents that have notes."""
    count = len(NOTEBOOKS.of(ctx.agent_id))
    return {"appendSystemContext": f"Your notebook has {count} notes."} if count else None
