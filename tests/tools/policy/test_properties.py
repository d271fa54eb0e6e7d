"""What holds for every set of rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tools.policy.decision import policy_apply
from tools.policy.facts import Facts, ToolFact
from tools.policy.layer import Layer
from tools.policy.names import CORE_NAMES, GROUP_NAMES, name_normalise
from tools.policy.patterns import entry_match

PLUGINS = ("jira", "mcp-files", "")
ENTRIES = st.sampled_from(
    [*sorted(CORE_NAMES), *GROUP_NAMES, "*", "group:*", "plugin:*", "plugin:mcp-*", "jira",
     "jira_*", "*s*", "re*d", "bash", "nonsense", "apply-patch", "w*_*h"]
)  # fmt: skip
ALLOW = st.lists(ENTRIES | ENTRIES.map(lambda entry: f"!{entry}"), max_size=6)
TOOLS = st.lists(
    st.builds(
        ToolFact,
        st.sampled_from([*sorted(CORE_NAMES), "jira_read", "jira_write", "mcp__files__read"]),
        st.sampled_from(PLUGINS),
        st.booleans(),
    ),
    unique_by=lambda tool: tool.name,
    max_size=15,
).map(tuple)
LAYERS = st.lists(
    st.builds(
        Layer,
        st.integers(1, 9),
        st.just("tools"),
        ALLOW.map(tuple),
        st.lists(ENTRIES, max_size=4).map(tuple),
        st.booleans(),
    ),
    max_size=5,
).map(tuple)
FACTS = st.builds(
    Facts,
    tools=TOOLS,
    is_owner=st.booleans(),
    channel=st.sampled_from(["", "web", "voice", "node", "sms"]),
    provider_search=st.booleans(),
)


@given(FACTS, LAYERS)
def test_it_works(facts: Facts, layers: tuple[Layer, ...]) -> None:
    """Every tool is kept, or removed with exactly one reason; the order is that of the tools."""
    decision = policy_apply(facts, layers)
    names = [tool.name for tool in facts.tools]
    gone = [removal.tool for removal in decision.removed]
    assert sorted([*decision.kept, *gone]) == sorted(names)
    assert list(decision.kept) == [name for name in names if name in decision.kept_names]
    assert gone == [name for name in names if name in decision.removals]
    assert all(removal.layer and removal.rule for removal in decision.removed)


@given(FACTS, LAYERS, LAYERS)
def test_no_layer_adds(facts: Facts, some: tuple[Layer, ...], more: tuple[Layer, ...]) -> None:
    # Whether an optional tool is there at all depends on the lists; here all are.
    facts = replace(facts, tools=tuple(replace(tool, optional=False) for tool in facts.tools))
    fewer = policy_apply(facts, (*some, *more)).kept_names
    assert fewer <= policy_apply(facts, some).kept_names
    assert fewer == policy_apply(facts, (*more, *some)).kept_names


@given(FACTS, LAYERS, st.data())
def test_the_order_of_entries_does_not_matter(
    facts: Facts, layers: tuple[Layer, ...], data: Any
) -> None:
    shuffled = tuple(
        replace(
            layer,
            allow=tuple(data.draw(st.permutations(layer.allow))),
            deny=tuple(data.draw(st.permutations(layer.deny))),
        )
        for layer in layers
    )
    assert policy_apply(facts, layers) == policy_apply(facts, shuffled)


@given(FACTS, LAYERS)
def test_deny_beats_allow(facts: Facts, layers: tuple[Layer, ...]) -> None:
    kept = policy_apply(facts, layers).kept_names
    for layer in layers:
        excepted = [entry for entry in layer.allow if entry.startswith("!")]
        for entry in (*layer.deny, *excepted):
            match = entry_match(entry)
            assert not any(match(tool) for tool in facts.tools if tool.name in kept)


@given(FACTS, LAYERS)
def test_the_owner_only_tools_are_for_owners(facts: Facts, layers: tuple[Layer, ...]) -> None:
    kept = policy_apply(replace(facts, is_owner=False), layers).kept_names
    assert not kept & set(facts.owner_only)


@given(st.text(max_size=300), TOOLS)
def test_any_text_is_an_entry(entry: str, tools: tuple[ToolFact, ...]) -> None:
    match = entry_match(entry)
    assert all(isinstance(match(tool), bool) for tool in tools)
    assert name_normalise(name_normalise(entry)) == name_normalise(entry)


@given(st.text("ab*", max_size=12), st.text("ab", max_size=12))
def test_stars_mean_any_characters(pattern: str, name: str) -> None:
    """Against the plainest way to say it."""

    def matches(left: str, right: str) -> bool:
        if not left:
            return not right
        if left[0] == "*":
            return matches(left[1:], right) or (bool(right) and matches(left, right[1:]))
        return bool(right) and left[0] == right[0] and matches(left[1:], right[1:])

    assert entry_match(pattern)(ToolFact(name or "a")) == matches(pattern, name or "a")
