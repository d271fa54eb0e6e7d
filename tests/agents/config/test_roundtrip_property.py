"""What comes out goes in again and changes nothing."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.config.selectors import config_get
from agents.config.services import config_apply, config_rollback

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
IDS = st.from_regex(r"[a-z][a-z0-9_-]{0,5}", fullmatch=True).filter(
    lambda word: word not in ("list", "defaults")
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
).filter(lambda value: b"$sealed" not in orjson.dumps(value))
REFS = st.builds(lambda a, b: f"{a}/{b}", IDS, IDS)
MODEL = REFS | st.fixed_dictionaries(
    {}, optional={"primary": REFS, "fallbacks": st.lists(st.just("x/y"), max_size=1)}
)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


AGENT = some(
    name=WORDS,
    model=MODEL,
    systemPrompt=WORDS,
    enabled=st.booleans(),
    timeoutSeconds=st.integers(0, 900),
    thinkingDefault=st.sampled_from(["off", "high"]),
    heartbeat=JSON,
    runtime=JSON,
    tools=some(
        profile=st.sampled_from(["minimal", "full"]),
        deny=st.lists(IDS, max_size=2),
        fs=JSON,
        elevated=some(enabled=st.booleans()),
        exec=some(ask=st.sampled_from(["off", "always"])),
        loopDetection=some(warningThreshold=st.integers(1, 9)),
    ),
)
PROVIDER = some(
    apiKey=WORDS.filter(lambda word: "${" not in word and word != ""),
    api=st.sampled_from(["openai-completions", "anthropic-messages", "ollama"]),
    timeoutSeconds=st.integers(1, 900),
    headers=st.dictionaries(IDS, IDS, max_size=2),
    models=st.lists(IDS, max_size=3, unique=True).map(lambda ids: [{"id": i} for i in ids]),
).map(lambda row: {"baseUrl": "http://h.example/v1", **row})
DOCUMENTS = some(
    agents=some(
        defaults=some(
            model=MODEL,
            maxConcurrent=st.integers(1, 9),
            sandbox=some(scope=st.just("session"), browser=JSON),
        ),
        list=st.dictionaries(IDS, AGENT, max_size=3).map(
            lambda agents: [{"id": name, **agent} for name, agent in agents.items()]
        ),
    ),
    models=some(
        mode=st.sampled_from(["merge", "replace"]),
        providers=st.dictionaries(IDS.filter(lambda n: n != "rehearsal"), PROVIDER, max_size=2),
    ),
    messages=some(queue=some(cap=st.integers(1, 50), mode=st.sampled_from(["steer", "collect"]))),
    session=some(reset=some(atHour=st.integers(0, 23)), dmScope=JSON),
    talk=JSON.filter(lambda value: value is not None),
    channels=st.dictionaries(WORDS, JSON, max_size=2),
).filter(lambda document: b"${" not in orjson.dumps(document))


@pytest.mark.django_db
@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(document=DOCUMENTS)
def test_it_works(document: dict[str, Any]) -> None:
    config_apply(text=orjson.dumps(document))
    first = config_get()
    assert not config_apply(text=orjson.dumps(first)).changed
    assert config_get() == first
    if config_apply(text="{}").changed:
        config_rollback()
    assert config_get() == first
