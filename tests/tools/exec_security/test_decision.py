"""What follows from mode, asking, fallback and who is there: the whole table."""

from __future__ import annotations

from itertools import product

import pytest

from tools.exec_security.decision import (
    ASK,
    OUTCOMES,
    SECURITY,
    Mode,
    Outcome,
    default_security,
    exec_decide,
    exec_decide_narrowed,
)


def test_it_works() -> None:
    assert exec_decide(Mode("allowlist"), satisfied=True, attended=True) == "allow"
    assert exec_decide(Mode("allowlist"), satisfied=False, attended=True) == "ask"
    assert exec_decide(Mode("allowlist"), satisfied=False, attended=False) == "deny"


@pytest.mark.parametrize(
    ("mode", "satisfied", "attended", "outcome"),
    [
        (Mode("deny", "off", "full"), True, True, "deny"),
        (Mode("full", "off"), False, False, "allow"),
        (Mode("full", "on-miss"), False, False, "allow"),
        (Mode("full", "always"), True, True, "ask"),
        (Mode("full", "always"), True, False, "deny"),
        (Mode("full", "always", "full"), False, False, "allow"),
        (Mode("full", "always", "allowlist"), True, False, "allow"),
        (Mode("full", "always", "allowlist"), False, False, "deny"),
        (Mode("allowlist", "off"), False, True, "deny"),
        (Mode("allowlist", "off"), True, False, "allow"),
        (Mode("allowlist", "always"), True, True, "ask"),
        (Mode("allowlist", "on-miss", "full"), False, False, "allow"),
        (Mode("allowlist", "on-miss", "allowlist"), False, False, "deny"),
    ],
)
def test_the_table(mode: Mode, satisfied: bool, attended: bool, outcome: Outcome) -> None:
    assert exec_decide(mode, satisfied=satisfied, attended=attended) == outcome


def test_a_call_only_narrows() -> None:
    modes = [Mode(*both) for both in product(SECURITY, ASK)]
    for mode, security, ask in product(modes, (*SECURITY, None, "x"), (*ASK, None, 7)):
        for satisfied, attended in product((True, False), (True, False)):
            before = exec_decide(mode, satisfied=satisfied, attended=attended)
            after = exec_decide_narrowed(
                mode, security, ask, satisfied=satisfied, attended=attended
            )
            assert OUTCOMES.index(after) <= OUTCOMES.index(before)
            if security in (None, mode.security) and ask in (None, mode.ask):
                assert after == before


def test_nobody_there_is_never_a_question() -> None:
    for security, ask, fallback, satisfied in product(SECURITY, ASK, SECURITY, (True, False)):
        mode = Mode(security, ask, fallback)
        assert exec_decide(mode, satisfied=satisfied, attended=False) != "ask"


def test_defaults() -> None:
    assert default_security(is_owner=True) == "allowlist"
    assert default_security(is_owner=False) == "deny"
