"""What is found by which words, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.tool_search.ranking import Ranking, words

TOOLS = [
    ("jira_create_issue", "Create an issue in a project of Jira."),
    ("jira_list_issues", "List the issues of a project, newest first."),
    ("crm_find_customer", "Find a customer by name, e-mail or telephone number."),
    ("calendarAddEvent", "Adds an appointment to the calendar of a person."),
    ("weather", "The weather of a place: temperature, wind and rain."),
    ("suche", "Sucht Müller und Ähnliches in Größen, 日本語 too."),
]
RANKING = Ranking(TOOLS)


def best(query: str, limit: int = 3) -> list[str]:
    return [TOOLS[place][0] for place in RANKING.best(query, limit)]


def test_it_works() -> None:
    assert best("create a Jira issue")[0] == "jira_create_issue"
    assert best("list issues of a project")[0] == "jira_list_issues"
    assert best("will there be rain?")[0] == "weather"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("customers", "crm_find_customer"),
        ("calendar event", "calendarAddEvent"),
        ("CALENDAR", "calendarAddEvent"),
        ("größen", "suche"),
        ("jira_create_issue", "jira_create_issue"),
        ("tel", "crm_find_customer"),
    ],
)
def test_words_are_found_in_names_and_descriptions(query: str, first: str) -> None:
    assert best(query)[0] == first


@pytest.mark.parametrize("query", ["", "  ", "?!", "xylophone", "\x00", "日"])
def test_nothing_fits(query: str) -> None:
    assert best(query) == []


def test_no_tools_at_all() -> None:
    assert Ranking([]).best("anything", 5) == []
    assert Ranking([("", "")]).best("anything", 5) == []


def test_identifiers_are_taken_apart() -> None:
    assert words("createIssue_v2 HTTPServer mcp__files__read") == [
        "create", "issue", "v", "2", "http", "server", "mcp", "files", "read",
    ]  # fmt: skip


@given(query=st.text(), limit=st.integers(1, 10))
def test_any_query_is_answered(query: str, limit: int) -> None:
    found = RANKING.best(query, limit)
    assert len(found) == len(set(found)) <= limit
    assert found == RANKING.best(query, limit)
