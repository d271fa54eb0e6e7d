"""An agent in one file, without Django, database or key: python examples/hello_agent.py"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the checkout is no package

from agents.core.events import LoopEvent, MessageUpdate, ToolExecutionStart
from agents.core.function_tool import FunctionTool
from agents.core.model import TextDelta
from agents.core.session import create_agent_session
from agents.providers.rehearsal.client import REHEARSAL_MODEL, RehearsalClient

NAME = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
NOTES = {"rehearsal.txt": "Hello from a tool!"}


async def read(path: str) -> str:
    return NOTES[path]


def show(event: LoopEvent) -> None:
    match event:
        case MessageUpdate(event=TextDelta(delta=text)):
            sys.stdout.write(text)
        case ToolExecutionStart(call=call):
            sys.stdout.write(f"\n[{call.name} {call.arguments['path']}]\n")


agent = create_agent_session(
    model=REHEARSAL_MODEL,
    client_or_stream_fn=RehearsalClient(),  # or the client of a real model
    tools=[FunctionTool("read", "Reads a note.", read, NAME)],
)
agent.subscribe(show)
asyncio.run(agent.prompt("Read the file rehearsal.txt."))
