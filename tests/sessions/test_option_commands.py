"""/think, /model, /verbose, /reasoning, /trace: answered without the model, kept by the session."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from agents.core.errors import UserError
from agents.credentials.services import credential_failed
from agents.database import run_db
from sessions.commands import COMMANDS, Command, commands_parse, options_split
from sessions.models import ModelCall
from sessions.services import session_patch
from tests.sessions.models_stage import PLAIN, THINKER, configure, credential, session_now
from tests.sessions.stage import KEY, Stage


async def said(stage: Stage, text: str) -> str:
    """The answer to a command; that no run was made for it is part of the claim."""
    accepted = await stage.accept(text)
    item = await stage.item(accepted)
    assert (item.outcome, item.run) == ("answered", None)
    return accepted.reply


async def asked(stage: Stage, text: str, **fields: Any) -> tuple[str, str]:
    """Sends a message; the model and the thinking level that the service was asked for."""
    engine = stage.engines[-1] if stage.engines else await stage.engine()
    accepted = await stage.accept(text, **fields)
    engine.submit(accepted.session_id)
    run = (await stage.ended(accepted)).run
    assert run is not None
    assert run.outcome == "final", run.error_message
    call = await run_db(lambda: ModelCall.objects.get(run=run))
    return f"{call.provider}/{call.model}", call.parameters.get("thinking", "off")


async def test_it_works(stage: Stage) -> None:
    await configure()
    assert await said(stage, "/think high") == "Thinking is now high."
    assert (await session_now(KEY)).thinking == "high"
    assert await asked(stage, "hello") == (THINKER, "high")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("/think", [Command("think")]),
        ("/T: low", [Command("think", "low")]),
        ("/reason stream", [Command("reasoning", "stream")]),
        ("/v full", [Command("verbose", "full")]),
        ("/models", [Command("model", "list")]),
        ("/think low /trace on", [Command("think", "low"), Command("trace", "on")]),
        ("/compact keep the links", [Command("compact", "keep the links")]),
        ("/think about the weather", []),
        ("what does /think high do?", []),
        ("/trace it back", []),
    ],
)
def test_which_messages_are_commands(text: str, commands: list[Command]) -> None:
    assert commands_parse(text) == commands


@pytest.mark.parametrize(
    ("text", "options", "rest"),
    [
        ("/think high Why?", {"thinking": "high"}, "Why?"),
        ("/t LOW\n/v full\nWhy?", {"thinking": "low", "verbose": "full"}, "Why?"),
        ("/model quick /queue steer Why?", {"model": "quick", "queue": "steer"}, "Why?"),
        ("/think high /nonsense on", {"thinking": "high"}, "/nonsense on"),
    ],
)
def test_options_of_one_message(text: str, options: dict[str, str], rest: str) -> None:
    inline = options_split(text)
    assert inline is not None
    assert (inline.options, inline.text) == (options, rest)


@pytest.mark.parametrize(
    ("command", "now"),
    [
        ("/think", "Thinking: off. Choices: off, minimal, low, medium, high, default."),
        ("/verbose", "Verbosity: off. Choices: off, on, full, default."),
        ("/reasoning", "Reasoning: off. Choices: off, on, stream, default."),
        ("/trace", "Trace: off. Choices: off, on, default."),
        ("/model", f"Model: {THINKER}, the agent's own."),
        ("/think much", "Unknown thinking level much. Choices: off,"),
        ("/verbose loud", "Verbosity has no level loud. Choices: off, on, full, default."),
        ("/think max", f"{THINKER} cannot do max. Thinking is now high."),
        ("/verbose full", "Verbosity is now full."),
    ],
)
async def test_each_tells_the_value_and_the_choices(stage: Stage, command: str, now: str) -> None:
    await configure()
    assert (await said(stage, command)).startswith(now)


async def test_a_model_that_cannot_think(stage: Stage) -> None:
    """The level is refused with a sentence; one that is inherited is lowered in the request."""
    await configure(thinkingDefault="high")
    await said(stage, f"/model {PLAIN}")
    reply = await said(stage, "/think low")
    assert reply == f"{PLAIN} cannot think; nothing was changed."
    assert (await said(stage, "/think")).startswith(
        f"Thinking: off, because {PLAIN} cannot do high."
    )
    assert await asked(stage, "hello") == (PLAIN, "off")


async def test_what_holds_before_what(stage: Stage) -> None:
    """Message, session, agent, defaults."""
    await configure(thinkingDefault="minimal")
    assert (await asked(stage, "a"))[1] == "minimal"
    await configure({"thinkingDefault": "low"}, thinkingDefault="minimal")
    assert (await asked(stage, "a"))[1] == "low"
    await said(stage, "/think medium")
    assert (await asked(stage, "a"))[1] == "medium"
    assert (await asked(stage, "a", options={"thinking": "high"}))[1] == "high"
    assert (await asked(stage, "/think off a"))[1] == "off"
    assert (await asked(stage, "a"))[1] == "medium"
    await said(stage, "/think default")
    assert (await asked(stage, "a"))[1] == "low"


async def test_the_text_of_an_inline_option_does_not_reach_the_model(stage: Stage) -> None:
    await configure()
    assert await asked(stage, f"/think high /model {PLAIN} [[echo:hi]]") == (PLAIN, "off")
    assert await stage.entries() == [("user", "[[echo:hi]]"), ("assistant", "hi")]
    session = await session_now(KEY)
    assert (session.thinking, session.model) == ("", "")


async def test_it_holds_after_a_restart(stage: Stage) -> None:
    await configure()
    await said(stage, "/think high")
    await said(stage, f"/model {THINKER}")
    assert await asked(stage, "before") == (THINKER, "high")
    await stage.engines[-1].drain()
    await stage.engine("w2")
    assert await asked(stage, "after") == (THINKER, "high")


async def test_models_by_name(stage: Stage) -> None:
    await configure()
    assert "1. openai/scripted\n2. openai/plain (quick)" in await said(stage, "/model list")
    for name in ("quick", PLAIN, "plain", "2"):
        assert await said(stage, f"/model {name}") == f"Model: {PLAIN}, chosen for this session."
        assert (await session_now(KEY)).model == PLAIN
        await said(stage, "/model default")
        assert (await session_now(KEY)).model == ""
    assert await said(stage, "/model scriptet") == (
        "No provider has a model scriptet. Did you mean scripted? The model stays as it is."
    )
    assert "no model number 9" in await said(stage, "/model 9")
    assert await said(stage, "/model opemai/x hello") == (
        "There is no provider opemai. Did you mean openai?"
    )


async def test_a_pinned_credential(stage: Stage) -> None:
    await configure()
    await credential("work")
    reply = await said(stage, f"/model {THINKER}@work")
    assert reply == f"Model: {THINKER}, with the pinned credential work."
    session = await session_now(KEY)
    assert (session.model, session.profile, session.profile_pinned) == (THINKER, "work", True)
    assert "work: usable" in await said(stage, "/model status")
    assert "Did you mean work?" in await said(stage, f"/model {THINKER}@wrok")
    assert (await session_now(KEY)).profile == "work"
    await asked(stage, "hello")
    used = await run_db(lambda: ModelCall.objects.get().profile)
    assert used == "work"
    await said(stage, f"/model {THINKER}")
    assert (await session_now(KEY)).profile_pinned is False


async def test_a_pinned_credential_that_is_refused(stage: Stage) -> None:
    await configure()
    await credential("work")
    await said(stage, f"/model {THINKER}@work")
    refuse = partial(
        credential_failed, credential="work", model="scripted", reason="auth_permanent"
    )
    await run_db(refuse)
    reply = await said(stage, "/model")
    assert "with the pinned credential work. It cannot be used now;" in reply


async def test_status_and_help(stage: Stage) -> None:
    await configure()
    await said(stage, "/think low /verbose on")
    status = await said(stage, "/status")
    for part in (THINKER, "credential", "Thinking low.", "Context 0 of 100,000 tokens", "queue"):
        assert part in status
    text = await said(stage, "/help")
    assert all(kind.usage in text for kind in COMMANDS)


async def test_the_same_through_a_patch(stage: Stage) -> None:
    await configure()
    await said(stage, "/help")
    owner = await stage.owner()
    changes = {
        "thinkingLevel": "high",
        "verboseLevel": "full",
        "reasoningLevel": "stream",
        "traceLevel": "on",
        "model": "quick",
    }
    await run_db(lambda: session_patch(principal=owner, key=KEY, changes=changes))
    row = await session_now(KEY)
    assert (row.thinking, row.verbose, row.reasoning, row.trace, row.model) == (
        *("high", "full", "stream", "on"),
        PLAIN,
    )
    for name in ("thinkingLevel", "verboseLevel", "reasoningLevel", "traceLevel"):
        patch = partial(session_patch, principal=owner, key=KEY, changes={name: "loud"})
        with pytest.raises(UserError, match=f"{name} loud is unknown; use one of"):
            await run_db(patch)


async def test_a_bad_level_of_a_message_is_refused(stage: Stage) -> None:
    with pytest.raises(UserError, match="thinkingLevel much is unknown"):
        await stage.accept("hello", options={"thinking": "much"})
