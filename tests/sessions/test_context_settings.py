"""Each setting of the context acts in a turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from agents.config.cache import cache_clear
from agents.config.issues import ConfigInvalid
from agents.config.services import config_apply
from agents.context.pruning import PruningRules
from agents.context.tokens import messages_tokens
from agents.core.errors import UserError
from agents.core.messages import Image, Message, Text, UserMessage
from agents.database import run_db
from sessions.context.rests import rests_forget
from sessions.turns.turn import Turn
from tests.sessions.context_stage import (
    Asked,
    context_of,
    history_write,
    long_talk,
    model,
    turn_start,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A known default model."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENCLAW_MODEL", "openai/scripted")
    cache_clear()
    rests_forget()
    yield
    cache_clear()


async def begun(
    *, tokens: int = 60_000, key: str = "agent:main:context", channels: Any = None, **defaults: Any
) -> Turn:
    """A turn behind a conversation, with settings."""
    document: dict[str, Any] = {"agents": {"defaults": defaults}}
    if channels:
        document["channels"] = channels
    text = orjson.dumps(document).decode()
    await run_db(lambda: config_apply(text=text, author="test"))
    await run_db(lambda: history_write(long_talk(tokens), key=key))
    return await run_db(lambda: turn_start(key=key))


async def sent_of(turn: Turn, asked: Asked, window: int = 32_000) -> list[Message]:
    """What is sent to a model with such a window."""
    context = await context_of(turn, asked)
    return list(await context.messages(turn.history, model=model(window), system="", tools=()))


async def test_it_works() -> None:
    """keepRecentTokens: less is kept."""
    usual = messages_tokens(await sent_of(await begun(), Asked()))
    turn = await begun(
        key="agent:main:less", compaction={"keepRecentTokens": 2_000, "recentTurnsPreserve": 0}
    )
    assert messages_tokens(await sent_of(turn, Asked())) < usual / 2


async def test_context_tokens_caps_the_window() -> None:
    """A large model is used as if it were a small one."""
    asked = Asked()
    await sent_of(await begun(contextTokens=20_000), asked, window=1_000_000)
    assert asked.requests


async def test_the_summary_has_another_model() -> None:
    """compaction.model is asked in place of the turn's."""
    asked = Asked()
    await sent_of(await begun(compaction={"model": "openai/gpt-5-mini"}), asked)
    assert {request.model.ref for request in asked.requests} == {"openai/gpt-5-mini"}


@pytest.mark.parametrize(
    ("compaction", "there", "missing"),
    [
        ({}, "## Open to-dos", ""),
        ({"mode": "default"}, "## Next steps", "## Open to-dos"),
        ({}, "Copy identifiers exactly", ""),
        ({"identifierPolicy": "off"}, "At most", "Copy identifiers exactly"),
        (
            {"identifierPolicy": "custom", "identifierInstructions": "Keep ticket numbers."},
            "Keep ticket numbers.",
            "Copy identifiers exactly",
        ),
    ],
)
async def test_what_is_asked(compaction: dict[str, Any], there: str, missing: str) -> None:
    """The mode and the policy for identifiers decide the request."""
    asked = Asked()
    await sent_of(await begun(compaction=compaction), asked)
    assert there in asked.prompts[0]
    assert not missing or missing not in asked.prompts[0]


async def test_identifiers_stay_word_for_word() -> None:
    """Also when the model left them out."""
    turn = await begun()
    sent = await sent_of(turn, Asked("## Goal\nnothing exact"))
    kept = "".join(str(message.content) for message in sent[1:])
    shown = str(sent[0].content)
    assert "https://example.org/item/" in shown
    newest = max(n for n in range(40) if f"item/{n} " not in kept)
    assert f"https://example.org/item/{newest}\n" in shown


async def test_recent_turns_are_kept_word_for_word() -> None:
    """recentTurnsPreserve: so many of the person's messages, shortened."""
    heading = "latest messages before this point"
    assert heading in str((await sent_of(await begun(), Asked()))[0].content)
    turn = await begun(key="agent:main:none", compaction={"recentTurnsPreserve": 0})
    assert heading not in str((await sent_of(turn, Asked()))[0].content)


async def test_pruning() -> None:
    """Off unless asked for; then with the stated measures."""
    turn = await begun()
    assert turn.settings is not None
    assert turn.settings.pruning is None
    pruning = {
        "mode": "cache-ttl",
        "ttl": "90s",
        "softTrim": {"headChars": 7},
        "tools": {"deny": ["x"]},
    }
    turn = await begun(key="agent:main:pruned", contextPruning=pruning)
    assert turn.settings is not None
    assert turn.settings.pruning == PruningRules(ttl=90.0, head_chars=7, deny=("x",))


async def test_limits_of_the_window() -> None:
    """Both numbers of the guard are settings."""
    limits = {"windowMinTokens": 50_000, "windowWarnTokens": 60_000}
    context = await context_of(await begun(tokens=1_000, contextLimits=limits), Asked())
    with pytest.raises(UserError, match="at least 50,000"):
        context.guard(model(40_000))
    assert context.guard(model(55_000))
    assert not context.guard(model(60_000))


async def test_history_limit_of_a_channel() -> None:
    """Only the newest turns of a direct message are sent."""
    key = "agent:main:telegram:direct:42"
    turn = await begun(tokens=2_000, key=key, channels={"telegram": {"dmHistoryLimit": 2}})
    sent = await sent_of(turn, Asked(), window=128_000)
    assert sum(isinstance(message, UserMessage) for message in sent) == 2
    assert turn.sent["historyLimit"] == 2


async def test_images_of_the_newest_turns() -> None:
    """Those of three completed turns and of the one that runs are sent, older ones are named."""
    pictures = [
        UserMessage((Text(f"picture {number}"), Image("QUJD", "image/png")), timestamp=number)
        for number in range(1, 7)
    ]
    await run_db(lambda: history_write(pictures, key="agent:main:images"))
    turn = await run_db(lambda: turn_start(key="agent:main:images"))
    shown = ["Image(" in str(message.content) for message in turn.history]
    assert shown == [False, False, False, True, True, True, False]
    assert "An image of an earlier message stood here" in str(turn.history[0].content)


@pytest.mark.parametrize(
    ("defaults", "path"),
    [
        ({"compaction": {"timeoutSeconds": 0}}, "timeoutSeconds"),
        ({"contextPruning": {"ttl": "soon"}}, "ttl"),
        ({"contextLimits": {"toolResultMaxChars": 5}}, "toolResultMaxChars"),
        ({"contextTokens": -1}, "contextTokens"),
        ({"compaction": {"keepRecent": 5}}, "keepRecent"),
    ],
)
async def test_bad_values(defaults: dict[str, Any], path: str) -> None:
    """Each is refused with its path."""
    text = orjson.dumps({"agents": {"defaults": defaults}}).decode()
    with pytest.raises(ConfigInvalid, match=path):
        await run_db(lambda: config_apply(text=text, author="test"))
