"""The list of allowed commands in the admin."""

from __future__ import annotations

import pytest
from django.test import Client

from tools.allowances import allowances_for
from tools.exec_security.patterns import Allowance
from tools.models import ExecAllowance

ADDRESS = "/admin/tools/execallowance/"


def add(page: Client, **fields: str) -> str:
    """What the form answers."""
    values = {"agent_slug": "main", "pattern": "", "argument_pattern": "", **fields}
    return page.post(f"{ADDRESS}add/", values, follow=True).content.decode()


def test_it_works(page: Client) -> None:
    """What is added and taken away there holds at once."""
    assert allowances_for("main") == ()
    add(page, pattern="/usr/bin/git", argument_pattern="status")
    row = ExecAllowance.objects.get()
    assert (row.source, bool(row.added_by)) == ("admin", True)
    assert allowances_for("main") == (Allowance("/usr/bin/git", "status", row.pk),)
    assert "/usr/bin/git" in page.get(ADDRESS).content.decode()
    page.post(f"{ADDRESS}{row.pk}/delete/", {"post": "yes"})
    assert allowances_for("main") == ()


@pytest.mark.parametrize("pattern", ["bin/git", "=command:1", "git\n x"])
def test_what_means_nothing_is_refused(page: Client, pattern: str) -> None:
    assert "must be" in add(page, pattern=pattern)
    assert not ExecAllowance.objects.exists()
