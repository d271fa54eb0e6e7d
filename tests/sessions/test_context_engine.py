"""An engine of a plugin in real turns: it is told, it assembles, and its faults break nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import pytest

from agents.config.services import config_apply
from agents.context.engine import (
    CONTEXT_ENGINES,
    Assembled,
    EngineInfo,
    EngineSession,
    LegacyEngine,
    engines_forget,
)
from agents.core.messages import Message
from agents.database import run_db
from sessions.models import Run
from tests.model_server.fixture import ModelServer
from tests.sessions.stage import Stage


class Short(LegacyEngine):
    """Sends only the newest message."""

    info = EngineInfo("test-short", "Only the newest")
    calls: list[str] = []

    async def bootstrap(self, session: EngineSession) -> None:
        """Notes it."""
        self.calls.append("bootstrap")

    async def ingest(self, session: EngineSession, message: Message) -> None:
        """Notes it."""
        self.calls.append(f"ingest {message.role}")

    async def assemble(
        self, session: EngineSession, messages: Sequence[Message], **how: Any
    ) -> Assembled:
        """The newest message."""
        self.calls.append("assemble")
        return Assembled(messages[-1:])


class Broken(LegacyEngine):
    """Fails whenever it is asked."""

    info = EngineInfo("test-broken-assembly", "Broken")

    async def assemble(
        self, session: EngineSession, messages: Sequence[Message], **how: Any
    ) -> Assembled:
        """Raises."""
        raise RuntimeError("out of order")


CONTEXT_ENGINES.register("test-short", Short)
CONTEXT_ENGINES.register("test-broken-assembly", Broken)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Each test makes its engines anew."""
    engines_forget()
    Short.calls.clear()
    yield
    engines_forget()


async def choose(name: str) -> None:
    """Sets the slot."""
    document = {"plugins": {"slots": {"contextEngine": name}}}
    await run_db(lambda: config_apply(text=orjson.dumps(document).decode(), author="test"))


async def two_turns(stage: Stage) -> Run:
    """Two messages, one after the other; the second run."""
    engine = await stage.engine()
    for text in ("first", "second"):
        accepted = await stage.accept(text)
        engine.submit(accepted.session_id)
        run = (await stage.ended(accepted)).run
    assert run is not None
    assert run.outcome == "final"
    await stage.idle(engine)
    return run


async def test_it_works(stage: Stage, model_server: ModelServer) -> None:
    """The model gets what the engine assembled; the engine is told of every message once."""
    await choose("test-short")
    model_server.reset()
    await two_turns(stage)
    roles = [m["role"] for m in model_server.requests()[-1]["body"]["messages"]]
    assert [role for role in roles if role not in ("system", "developer")] == ["user"]
    assert Short.calls.count("bootstrap") == 1
    assert "assemble" in Short.calls
    told = [call for call in Short.calls if call.startswith("ingest")]
    assert told == ["ingest user", "ingest assistant"] * 2


@pytest.mark.parametrize("name", ["test-broken-assembly", "never-registered"])
async def test_a_bad_engine(stage: Stage, model_server: ModelServer, name: str) -> None:
    """The original messages are sent, and the run warns."""
    await choose(name)
    model_server.reset()
    run = await two_turns(stage)
    assert "first" in str(model_server.requests()[-1]["body"]["messages"])
    run = await run_db(lambda: Run.objects.get(pk=run.pk))
    assert any(name in warning for warning in run.warnings)
