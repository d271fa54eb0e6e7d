"""Nine layers in their order, each taking out what it does not want."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tools.policy.decision import Decision, policy_apply
from tools.policy.facts import Facts, Sender, ToolFact, session_facts
from tools.policy.policies import Holder, Policies, Scope, layers_for

NAMES = (
    "read", "write", "edit", "apply_patch", "exec", "process", "web_search", "web_fetch",
    "memory_search", "sessions_spawn", "subagents", "session_status", "message", "cron", "gateway",
    "agents_list", "tts", "browser", "image",
)  # fmt: skip
TOOLS = (*(ToolFact(name) for name in NAMES), ToolFact("jira_read", "jira"))
OWNER = Facts(tools=TOOLS, provider="anthropic", model="opus", is_owner=True)


def decide(policies: Policies, facts: Facts = OWNER) -> Decision:
    return policy_apply(facts, layers_for(policies, facts))


def said(decision: Decision) -> dict[str, tuple[int, str]]:
    return {one.tool: (one.number, one.rule) for one in decision.removed}


def test_it_works() -> None:
    """One tool falls in each of the nine layers."""
    facts = replace(OWNER, sandboxed=True, depth=1, room="g1", channel="telegram")
    policies = Policies(
        installation=Holder(
            own=Scope("tools", profile="coding", also_allow=("message", "browser"), deny=("edit",)),
            by_provider={
                "anthropic": Scope('tools.byProvider["anthropic"]', "mild", deny=("exec",))
            },
            subagents=Scope("tools.subagents.tools", deny=("image",)),
        ),
        agent=Holder(
            own=Scope("agents.list.ops.tools", deny=("web_*",)),
            by_provider={"anthropic/opus": Scope("agents.list.ops.x", deny=("process",))},
        ),
        rooms={"g1": Holder(own=Scope("channels.telegram.groups.g1.tools", deny=("message",)))},
        profiles={"mild": Scope("tools.profiles.mild", deny=("memory_search",))},
    )
    found = said(decide(policies, facts))
    assert {name: found[name] for name in (
        "tts", "memory_search", "edit", "exec", "web_fetch", "process", "message", "browser",
        "image",
    )} == {
        "tts": (1, 'tools.profile "coding" does not name it'),
        "memory_search": (2, "tools.profiles.mild.deny: memory_search"),
        "edit": (3, "tools.deny: edit"),
        "exec": (4, 'tools.byProvider["anthropic"].deny: exec'),
        "web_fetch": (5, "agents.list.ops.tools.deny: web_*"),
        "process": (6, "agents.list.ops.x.deny: process"),
        "message": (7, "channels.telegram.groups.g1.tools.deny: message"),
        "browser": (8, "what works in a sandbox: browser"),
        "image": (9, "tools.subagents.tools.deny: image"),
    }  # fmt: skip
    assert decide(policies, facts).kept == ("read", "write", "apply_patch")


def test_nothing_is_said() -> None:
    assert decide(Policies()).kept == tuple(tool.name for tool in TOOLS)


@pytest.mark.parametrize(
    ("profile", "kept"),
    [
        ("minimal", "session_status"),
        ("analysis", "read web_search web_fetch memory_search session_status"),
        ("messaging", "session_status message"),
        ("full", " ".join(tool.name for tool in TOOLS)),
    ],
)
def test_profiles(profile: str, kept: str) -> None:
    policies = Policies(installation=Holder(own=Scope("tools", profile=profile)))
    assert decide(policies).kept == tuple(kept.split())


def test_also_allow_widens_a_profile_and_nothing_else() -> None:
    policies = Policies(
        installation=Holder(
            own=Scope("tools", "minimal", also_allow=("read", "exec"), deny=("exec",))
        ),
        agent=Holder(own=Scope("agents.list.a.tools", also_allow=("jira",))),
    )
    assert decide(policies).kept == ("read", "session_status", "jira_read")
    assert said(decide(policies))["exec"] == (3, "tools.deny: exec")


def test_an_agents_profile_replaces_that_of_the_installation() -> None:
    policies = Policies(
        installation=Holder(own=Scope("tools", "minimal", also_allow=("exec",))),
        agent=Holder(own=Scope("agents.list.a.tools", "messaging", also_allow=("tts",))),
    )
    assert decide(policies).kept == ("session_status", "message", "tts")


def test_an_unknown_profile_allows_nothing() -> None:
    decision = decide(Policies(installation=Holder(own=Scope("tools", "codng"))))
    assert decision.kept == ()
    assert decision.removed[0].rule == 'tools.profile "codng", which does not exist: *'


def test_a_broken_configuration_allows_nothing() -> None:
    decision = decide(Policies(fault="tools.allow must be a list"))
    assert (decision.kept, decision.removed[0].layer) == ((), "broken configuration")


def test_the_model_comes_before_its_provider() -> None:
    rules = {"anthropic": Scope("p", deny=("read",)), "anthropic/opus": Scope("m", deny=("edit",))}
    policies = Policies(installation=Holder(by_provider=rules))
    assert set(said(decide(policies))) == {"edit"}
    assert set(said(decide(policies, replace(OWNER, model="haiku")))) == {"read"}
    assert not decide(policies, replace(OWNER, provider="openai")).removed


def test_owner_only_tools() -> None:
    guest = replace(OWNER, is_owner=False)
    found = said(decide(Policies(), guest))
    assert found["exec"] == (0, "tools.ownerOnly: exec")
    assert set(found) == {"exec", "process", "cron", "gateway"}
    assert not decide(Policies(), replace(guest, owner_only=())).removed


@pytest.mark.parametrize(
    ("channel", "gone"),
    [("voice", "tts"), ("discord-voice", "tts"), ("web", ""), ("sms", "tts"), ("telegram", "")],
)
def test_channels(channel: str, gone: str) -> None:
    assert " ".join(said(decide(Policies(), replace(OWNER, channel=channel)))) == gone


def test_a_device_gets_only_what_it_is_for() -> None:
    kept = decide(Policies(), replace(OWNER, channel="node")).kept
    assert kept == ("web_search", "web_fetch", "tts", "image")


def test_a_service_that_searches_itself_hides_the_search() -> None:
    found = said(decide(Policies(), replace(OWNER, provider_search=True)))
    assert found == {"web_search": (0, "anthropic searches the web itself: web_search")}


def test_optional_tools_come_only_by_name() -> None:
    facts = replace(OWNER, tools=(*TOOLS, ToolFact("jira_write", "jira", optional=True)))
    assert said(decide(Policies(), facts))["jira_write"][0] == 0
    for scope in (Scope("tools", also_allow=("jira_write",)), Scope("tools", allow=("*", "jira"))):
        assert "jira_write" in decide(Policies(installation=Holder(own=scope)), facts).kept


@pytest.mark.parametrize(
    ("sender", "kept"),
    [
        (Sender(id="7", username="bo"), ("read",)),
        (Sender(username="@Bo", name="Bo"), ("edit",)),
        (Sender(e164="+49 151 1", name="Bo"), ("write",)),
        (Sender(name="BO"), ("exec",)),
        (Sender(name="Mo"), ("tts",)),
    ],
)
def test_senders_from_the_surest_to_anybody(sender: Sender, kept: tuple[str, ...]) -> None:
    rules = {
        "*": Scope("s", allow=("tts",)),
        "name:bo": Scope("s", allow=("exec",)),
        "username:bo": Scope("s", allow=("edit",)),
        "id:7": Scope("s", allow=("read",)),
        "e164:491511": Scope("s", allow=("write", "!apply_patch")),
    }
    policies = Policies(installation=Holder(by_sender=rules))
    assert decide(policies, replace(OWNER, sender=sender)).kept == kept


def test_precedence_in_rooms() -> None:
    everywhere = Holder(
        own=Scope("all", allow=("tts",)), by_sender={"id:1": Scope("all1", allow=("exec",))}
    )
    quiet = Holder(by_sender={"id:2": Scope("q2", allow=("read",))})
    loud = Holder(own=Scope("l", allow=("edit",)), by_sender={"id:2": Scope("l2")})
    policies = Policies(rooms={"*": everywhere, "quiet": quiet, "loud": loud})

    def kept(room: str, sender: str) -> tuple[str, ...]:
        return decide(policies, replace(OWNER, room=room, sender=Sender(id=sender))).kept

    assert kept("quiet", "2") == ("read",)
    assert kept("quiet", "1") == ("exec",)
    assert kept("quiet", "3") == ("tts",)
    assert kept("loud", "1") == ("edit",)
    assert len(kept("loud", "2")) == len(TOOLS)
    assert kept("other", "3") == ("tts",)
    assert len(kept("", "3")) == len(TOOLS)


def test_sandbox() -> None:
    inside = replace(OWNER, sandboxed=True)
    usual = decide(Policies(), inside).kept
    assert "exec" in usual
    assert not {"browser", "web_fetch", "cron"} & set(usual)
    rules = Scope("tools.sandbox.tools", also_allow=("browser",), deny=("exec",))
    kept = decide(Policies(installation=Holder(sandbox=rules)), inside).kept
    assert "browser" in kept
    assert not {"exec", "web_fetch"} & set(kept)
    own = Scope("agents.list.a.tools.sandbox.tools", allow=("read",))
    both = Policies(installation=Holder(sandbox=rules), agent=Holder(sandbox=own))
    assert decide(both, inside).kept == ("read", "browser", "image")
    everything = Policies(installation=Holder(sandbox=Scope("s", allow=())))
    assert set(said(decide(everything, inside))) == {"browser", "cron", "gateway"}


def test_children() -> None:
    leaf = replace(OWNER, depth=1)
    gone = set(said(decide(Policies(), leaf)))
    assert gone == {
        "gateway", "cron", "agents_list", "session_status", "sessions_spawn", "subagents"
    }  # fmt: skip
    middle = replace(OWNER, depth=1, max_depth=2)
    assert gone - set(said(decide(Policies(), middle))) == {"sessions_spawn", "subagents"}
    rules = Scope("tools.subagents.tools", also_allow=("session_status",), deny=("exec",))
    lifted = said(decide(Policies(installation=Holder(subagents=rules)), leaf))
    assert "session_status" not in lifted
    assert lifted["exec"] == (9, "tools.subagents.tools.deny: exec")
    hole = Scope("tools.subagents.tools", allow=("*", "!cron"))
    assert "cron" in said(decide(Policies(installation=Holder(subagents=hole)), leaf))


@pytest.mark.parametrize(
    ("key", "channel", "room", "depth"),
    [
        ("agent:main:main", "", "", 0),
        ("agent:main:telegram:group:-100:topic:7", "telegram", "-100", 0),
        ("agent:main:discord:channel:55", "discord", "55", 0),
        ("agent:main:subagent:a1", "", "", 1),
        ("agent:main:subagent:a1:subagent:b2", "", "", 2),
        ("agent:main:web:subagent", "", "", 0),
    ],
)
def test_what_a_session_key_tells(key: str, channel: str, room: str, depth: int) -> None:
    facts = session_facts(key)
    assert (facts.channel, facts.room, facts.depth) == (channel, room, depth)
