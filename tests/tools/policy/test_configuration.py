"""The document's lists of tools: what is refused, what is warned of, what is kept."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from agents.config.issues import ConfigInvalid
from agents.config.selectors import config_get
from agents.config.services import config_apply, config_validate

pytestmark = pytest.mark.django_db


def document(**keys: Any) -> bytes:
    return orjson.dumps(keys)


def errors(**keys: Any) -> list[tuple[str, str]]:
    report = config_validate(text=document(**keys))
    return [(issue.path, issue.message) for issue in report.errors]


def warnings(**keys: Any) -> list[tuple[str, str]]:
    report = config_validate(text=document(**keys))
    assert report.ok, report.errors
    return [(issue.path, issue.message) for issue in report.warnings]


FULL = {
    "profile": "coding",
    "alsoAllow": ["message"],
    "deny": ["group:automation", "web_*"],
    "byProvider": {
        "anthropic": {"profile": "anthropic-restricted"},
        "ollama/llama3.2:3b": {"allow": ["read", "!exec"]},
    },
    "toolsBySender": {"id:01ABC": {"alsoAllow": ["tts"]}, "name:Bo B": {}, "*": {"deny": ["exec"]}},
    "profiles": {"anthropic-restricted": {"allow": ["group:fs"], "deny": ["write"]}},
    "ownerOnly": ["exec", "process"],
    "sandbox": {"tools": {"allow": []}},
    "subagents": {"tools": {"deny": ["exec"]}},
    "loopDetection": {"enabled": False},
    "experimental": {"planTool": True},
}


def test_it_works() -> None:
    agents = {"list": [{"id": "ops", "tools": {"profile": "anthropic-restricted", "fs": {}}}]}
    assert config_apply(text=document(tools=FULL, agents=agents)).changed
    assert config_get(path="tools") == FULL
    assert config_get(path="agents.list.ops.tools") == agents["list"][0]["tools"]


def test_only_the_keys_of_others_are_without_effect() -> None:
    assert warnings(tools=FULL) == [
        ("", "kept, but without effect in this version: tools.experimental"),
    ]


@pytest.mark.parametrize(
    ("tools", "path", "words"),
    [
        ({"profile": "codng"}, "tools.profile", "did you mean coding?"),
        ({"profile": "zzz"}, "tools.profile", "there are: minimal, coding, analysis"),
        ({"profile": 5}, "tools.profile", "must be a valid string"),
        ({"allow": "exec"}, "tools.allow", "must be a valid list"),
        ({"allow": ["read write"]}, "tools.allow[0]", "must be a tool, group:<name>"),
        ({"allow": ["ok", ""]}, "tools.allow[1]", "must be a tool, group:<name>"),
        ({"deny": ["!exec"]}, "tools.deny[0]", "! has a meaning in allow only"),
        ({"alsoAllow": ["!exec"]}, "tools.alsoAllow[0]", "! has a meaning in allow only"),
        ({"allow": ["a"], "alsoAllow": ["b"]}, "tools", "allow and alsoAllow exclude each other"),
        ({"alow": []}, "tools.alow", "did you mean allow?"),
        ({"byProvider": {"a/": {}}}, 'tools.byProvider["a/"]', "must be provider or"),
        (
            {"byProvider": {"openai": {"profile": "cdoing"}}},
            "tools.byProvider.openai.profile",
            "did you mean coding?",
        ),
        ({"toolsBySender": {"mail:x": {}}}, 'tools.toolsBySender["mail:x"]', "must be id:, e164:"),
        (
            {"toolsBySender": {"*": {"allow": ["a"], "alsoAllow": ["b"]}}},
            'tools.toolsBySender["*"]',
            "exclude each other",
        ),
        ({"profiles": {"coding": {}}}, "tools.profiles.coding", "choose another name"),
        ({"profiles": {"a b": {}}}, 'tools.profiles["a b"]', "must be the name of a profile"),
        ({"sandbox": {"tools": {"deny": [1]}}}, "tools.sandbox.tools.deny[0]", "valid string"),
    ],
)
def test_what_is_refused(tools: dict[str, Any], path: str, words: str) -> None:
    ((place, message),) = errors(tools=tools)
    assert (place, words in message) == (path, True), message


def test_agents_and_rooms_are_looked_at_too() -> None:
    found = errors(
        agents={"ops": {"tools": {"profile": "anlysis"}}, "two": {"tools": {"deny": ["!a"]}}},
    )
    assert [place for place, _words in found] == ["agents.two.tools.deny[0]"]
    found = errors(agents={"ops": {"tools": {"profile": "anlysis"}}})
    assert found == [
        ("agents.ops.tools.profile", "there is no profile anlysis; did you mean analysis?")
    ]
    found = errors(channels={"telegram": {"groups": {"-5": {"tools": {"allow": "read"}}}}})
    assert found == [('channels.telegram.groups["-5"].tools.allow', "must be a valid list")]


def test_names_that_mean_nothing() -> None:
    said = warnings(
        tools={"deny": ["exce"], "ownerOnly": ["cronn"]},
        agents={"ops": {"tools": {"allow": ["raed", "browser", "group:fs"]}}},
    )
    assert said == [
        ("tools.deny[0]", "exce means no tool that is known here; did you mean exec?"),
        ("tools.ownerOnly[0]", "cronn means no tool that is known here; did you mean cron?"),
        ("agents.ops.tools.allow[0]", "raed means no tool that is known here; did you mean read?"),
    ]


OPEN = {"telegram": {"dmPolicy": "open"}}


@pytest.mark.parametrize(
    ("keys", "paths"),
    [
        ({"tools": {"allow": ["*"]}, "channels": OPEN}, ["tools.allow"]),
        ({"tools": {"allow": ["*"]}, "channels": {"irc": {"allowFrom": ["*"]}}}, ["tools.allow"]),
        ({"tools": {"allow": ["*", "!exec"]}, "channels": OPEN}, []),
        ({"tools": {"allow": ["*"], "deny": ["exec"]}, "channels": OPEN}, []),
        ({"tools": {"allow": ["*"]}, "channels": {"telegram": {"dmPolicy": "pairing"}}}, []),
        (
            {"tools": {"allow": ["*"]}, "channels": {"x": {"dmPolicy": "open", "enabled": False}}},
            [],
        ),
        (
            {
                "agents": {"list": [{"id": "a"}, {"id": "b", "tools": {"alsoAllow": ["*"]}}]},
                "bindings": [{"agentId": "b", "match": {"channel": "telegram"}}],
                "channels": OPEN,
            },
            ["agents.list[1].tools.alsoAllow"],
        ),
        (
            {
                "agents": {"list": [{"id": "a"}, {"id": "b", "tools": {"alsoAllow": ["*"]}}]},
                "channels": OPEN,
            },
            [],
        ),
    ],
)
def test_everything_for_everybody_is_warned_of(keys: dict[str, Any], paths: list[str]) -> None:
    assert [path for path, words in warnings(**keys) if "everybody can write" in words] == paths


def test_nothing_is_written_when_rules_are_wrong() -> None:
    config_apply(text=document(tools={"deny": ["exec"]}))
    with pytest.raises(ConfigInvalid):
        config_apply(text=document(tools={"deny": ["!exec"]}))
    assert config_get(path="tools.deny") == ["exec"]


def test_the_seeds_examples_apply() -> None:
    report = config_apply(
        text=document(
            tools={"allow": ["*", "!exec", "!process"]},
            agents={
                "main": {},
                "research": {"tools": {"allow": ["read", "web_search", "web_fetch"]}},
            },
            channels={"discord": {"groups": {"42": {"tools": {"allow": ["read", "web_search"]}}}}},
        )
    )
    assert report.changed
    kept = "kept, but without effect in this version: channels"
    assert [str(issue) for issue in report.warnings] == [kept]
