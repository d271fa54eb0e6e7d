"""The `budgets` section of the configuration document."""

from __future__ import annotations

import pytest

from agents.config.issues import ConfigInvalid
from agents.config.selectors import config_get
from agents.config.services import config_apply, config_validate
from sessions.models import Budget, BudgetWindow

pytestmark = pytest.mark.django_db

DOCUMENT = """
budgets:
  run: {usd: 0.5, tokens: 500000}
  everyone: {day: {usd: 5, note: all of us}, month: {usd: 60}}
  agents:
    "*": {day: {usd: 2}}
    main: {run: {usd: 1, enabled: false}}
  people:
    "*": {day: {tokens: 200000}}
"""


def test_it_works() -> None:
    """Rows are made of it, and it is made of the rows."""
    report = config_apply(text=DOCUMENT)
    assert report.changed
    assert sorted(Budget.objects.values_list("scope", "target", "period")) == [
        ("agent", "", "day"),
        ("agent", "main", "run"),
        ("everyone", "", "day"),
        ("everyone", "", "month"),
        ("person", "", "day"),
        ("run", "", "run"),
    ]
    assert config_get(path="budgets.everyone.day") == {"usd": 5, "note": "all of us"}
    assert config_get(path="budgets.agents.main.run") == {"usd": 1, "enabled": False}
    assert not config_apply(text=DOCUMENT).changed


def test_what_was_spent_stays() -> None:
    """A changed limit goes on counting; one that is left out goes, and that is said."""
    config_apply(text=DOCUMENT)
    row = Budget.objects.get(scope="run")
    BudgetWindow.objects.create(budget=row, target="r", starts_at="2026-01-01T00:00Z", spent_usd=1)
    report = config_apply(text="budgets: {run: {usd: 9}}")
    row.refresh_from_db()
    assert (row.limit_usd, row.limit_tokens, row.windows.get().spent_usd) == (9, None, 1)
    assert [(issue.path, issue.message) for issue in report.warnings] == [
        ("budgets", "5 budgets are removed because the document does not name them")
    ]
    config_apply(text="{}")
    assert not Budget.objects.exists()


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("budgets: {run: {}}", "budgets.run", "says no limit: set usd, tokens, or both"),
        ("budgets: {run: {usd: -1}}", "budgets.run.usd", "must be greater than or equal to 0"),
        ("budgets: {run: {dollars: 1}}", "budgets.run.dollars", "unknown key"),
        ("budgets: {everyone: {run: {usd: 1}}}", "budgets.everyone.run", "unknown key"),
        ("budgets: {people: {p: {week: {usd: 1}}}}", "budgets.people.p.week", "unknown key"),
    ],
)
def test_bad_input(text: str, path: str, message: str) -> None:
    """The place and the fix are named, and nothing is written."""
    with pytest.raises(ConfigInvalid) as caught:
        config_apply(text=text)
    assert [(issue.path, message in issue.message) for issue in caught.value.report.errors] == [
        (path, True)
    ]
    assert not Budget.objects.exists()


def test_nobody() -> None:
    """A limit for a person who does not exist is told."""
    report = config_validate(text="budgets: {people: {nobody: {day: {usd: 1}}}}")
    assert [issue.message for issue in report.warnings] == ["there is no person of this id"]
