"""What plugins bring is used by real runs: a wire format, a wrapper, a tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.config.cache import cache_clear
from agents.config.services import config_apply
from agents.database import run_db
from agents.plugins.loader import plugin_states, plugins_load, plugins_unload
from sessions.models import ToolCall
from tests.agents.plugins.installed import PluginFolder, plugin_folder
from tests.sessions.stage import Stage

SOURCE = """
from dataclasses import replace

from agents.core.messages import AssistantMessage, Text, user_text
from agents.core.model import Done, TextDelta
from agents.core.tools import ToolResult

id = "parrot"

def register(api):
    api.register_provider("parrot/voice", Parrot)
    api.register_stream_wrapper("parrot-shout", shouting)
    api.register_tool(Squawk())

class Parrot:
    def __init__(self, model):
        self.model = model

    async def stream(self, request, signal):
        text = "I heard: " + user_text(request.messages[-1])
        yield TextDelta(0, text)
        yield Done(AssistantMessage((Text(text),), provider="bird", model=request.model.id))

    async def aclose(self):
        pass

def shouting(stream, context):
    async def run(request, signal):
        async for event in stream(request, signal):
            if isinstance(event, Done) and request.model.provider == "bird":
                blocks = tuple(Text(block.text.upper()) for block in event.message.content)
                event = Done(replace(event.message, content=blocks))
            yield event
    return run

class Squawk:
    name, label, description = "squawk", "Squawk", "Makes a noise."
    parameters = {"type": "object", "properties": {"times": {"type": "integer"}}}
    repeatable, execution = True, "parallel"

    async def execute(self, call_id, arguments, context, signal, on_update):
        return ToolResult.text("squawk " * arguments.get("times", 1))
"""
PROVIDER = {
    "baseUrl": "http://parrot.invalid",
    "api": "parrot/voice",
    "apiKey": "seeds",
    "models": [{"id": "polly"}],
}


@pytest.fixture
def packages(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PluginFolder]:
    """Where the plugin is installed; nothing of it is left afterwards."""
    plugins_unload()
    folder = plugin_folder(tmp_path, monkeypatch)
    folder.install("parrot", SOURCE)
    yield folder
    plugins_unload()
    folder.clear()
    cache_clear()


def load() -> None:
    """Enables the plugin and a provider that speaks its format."""
    document = {
        "plugins": {"entries": {"parrot": {"enabled": True}}},
        "models": {"providers": {"bird": PROVIDER}},
    }
    assert config_apply(text=json.dumps(document)).ok
    cache_clear()
    plugins_load()
    assert [state.reason for state in plugin_states()] == [""]


async def test_it_works(
    stage: Stage, packages: PluginFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider of the plugin's own format answers, through the plugin's wrapper."""
    monkeypatch.setenv("OPENCLAW_MODEL", "bird/polly")
    await run_db(load)
    engine = await stage.engine()
    accepted = await stage.accept("hello")
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.run is not None
    assert (item.run.provider, item.run.model) == ("bird", "polly")
    assert item.run.reply == "I HEARD: HELLO"


async def test_its_tool(stage: Stage, packages: PluginFolder) -> None:
    """The model calls it as any other."""
    await run_db(load)
    engine = await stage.engine()
    accepted = await stage.accept('[[tool:squawk {"times":2}]]')
    engine.submit(accepted.session_id)
    item = await stage.ended(accepted)
    assert item.run is not None
    assert item.run.reply == "tool said: squawk squawk "
    call = await run_db(lambda: ToolCall.objects.get(run=item.run))
    assert (call.name, call.state, call.repeatable) == ("squawk", "done", True)
