"""What an entry of a list means, and what is said of one that means nothing."""

from __future__ import annotations

import pytest

from tools.policy.decision import policy_apply
from tools.policy.diagnostics import Diagnostic, entry_nearest
from tools.policy.facts import Facts, ToolFact
from tools.policy.layer import Layer
from tools.policy.patterns import entry_match

TOOLS = (
    ToolFact("read"), ToolFact("write"), ToolFact("apply_patch"), ToolFact("exec"),
    ToolFact("web_search"), ToolFact("session_status"), ToolFact("Jira_Read", "jira"),
    ToolFact("mcp__files__read", "mcp-files"), ToolFact("jira"),
)  # fmt: skip


def meant(entry: str) -> list[str]:
    match = entry_match(entry)
    return [tool.name for tool in TOOLS if match(tool)]


@pytest.mark.parametrize(
    ("entry", "names"),
    [
        ("read", ["read"]),
        (" READ ", ["read"]),
        ("bash", ["exec"]),
        ("apply-patch", ["apply_patch"]),
        ("write", ["write", "apply_patch"]),
        ("edit", []),
        ("*", [tool.name for tool in TOOLS]),
        ("***", [tool.name for tool in TOOLS]),
        ("*_s*", ["web_search", "session_status"]),
        ("jira_*", ["Jira_Read"]),
        ("jira", ["Jira_Read", "jira"]),
        ("plugin:jira", ["Jira_Read"]),
        ("plugin:*", ["Jira_Read", "mcp__files__read"]),
        ("plugin:mcp-*", ["mcp__files__read"]),
        ("bundle-mcp", ["mcp__files__read"]),
        ("group:plugins", ["Jira_Read", "mcp__files__read"]),
        ("group:fs", ["read", "write", "apply_patch"]),
        ("group:openclaw", ["web_search", "session_status", "jira"]),
        ("group:w*", ["web_search"]),
        ("group:nothing", []),
        ("re.d", []),
        ("[a-z]*", []),
        ("", []),
    ],
)
def test_it_works(entry: str, names: list[str]) -> None:
    assert meant(entry) == names


def test_every_group_and_all_plugins() -> None:
    assert meant("group:*") == [tool.name for tool in TOOLS]


def test_hostile_patterns_end() -> None:
    pattern = "*a" * 5_000 + "*b"
    assert not entry_match(pattern)(ToolFact("a" * 64))


@pytest.mark.parametrize(
    ("entry", "nearest"),
    [
        ("exce", "exec"),
        ("!exce", "exec"),
        ("group:runtme", "group:runtime"),
        ("plugin:jra", "plugin:jira"),
        ("web_fetch", None),
        ("browser", None),
        ("web_*", None),
        ("plugin:mcp-*", None),
        ("group:plugins", None),
        ("*", None),
        ("qqqq", ""),
    ],
)
def test_the_nearest_name(entry: str, nearest: str | None) -> None:
    assert entry_nearest(entry, TOOLS) == nearest


def kept(layer: Layer) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    decision = policy_apply(Facts(tools=TOOLS, is_owner=True), (layer,))
    return decision.kept, decision.diagnostics


def test_a_list_of_unknown_names_only_keeps_the_products_tools() -> None:
    names, said = kept(Layer(3, "tools", allow=("raed", "jira_read")))
    assert names == (
        "read", "write", "apply_patch", "exec", "web_search", "session_status", "Jira_Read", "jira"
    )  # fmt: skip
    assert [(one.trouble, one.entry, one.nearest) for one in said] == [
        ("unknown", "raed", "read"),
        ("core kept", "", ""),
    ]


def test_at_a_border_of_trust_such_a_list_is_taken_at_its_word() -> None:
    names, said = kept(Layer(7, "tools.toolsBySender", allow=("raed",), literal=True))
    assert names == ()
    assert {one.trouble for one in said} == {"unknown", "nothing left"}


def test_tools_that_are_not_there_are_told_apart_from_unknown_ones() -> None:
    names, said = kept(Layer(3, "tools", allow=("browser", "read")))
    assert names == ("read",)
    assert [(one.trouble, one.entry) for one in said] == [("unavailable", "browser")]


def test_the_seeds_example() -> None:
    names, said = kept(Layer(3, "tools", allow=("*", "!exec", "!process")))
    assert "exec" not in names
    assert len(names) == len(TOOLS) - 1
    assert said == ()
