"""What follows from a mode, a way of asking and what is known of a command. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Security = Literal["deny", "allowlist", "full"]
Ask = Literal["off", "on-miss", "always"]
Outcome = Literal["deny", "ask", "allow"]
OUTCOMES: tuple[Outcome, ...] = ("deny", "ask", "allow")
# From strict to wide, as the strictest of several holds.
SECURITY: tuple[Security, ...] = ("deny", "allowlist", "full")
ASK: tuple[Ask, ...] = ("always", "on-miss", "off")


@dataclass(frozen=True, slots=True)
class Mode:
    """How commands are treated; `fallback` holds when somebody should be asked and nobody is there.

    `deny` runs nothing, `allowlist` what is on the list, `full` everything.
    """

    security: Security = "deny"
    ask: Ask = "on-miss"
    fallback: Security = "deny"

    def narrowed(self, security: object, ask: object) -> Mode:
        """The mode with what a call asks for, as far as that is stricter."""
        return Mode(
            stricter_security(self.security, security), stricter_ask(self.ask, ask), self.fallback
        )


def stricter_security(one: Security, other: object) -> Security:
    """The stricter of two modes; `other` may be anything, then it says nothing."""
    known = [mode for mode in SECURITY if mode in (one, other)]
    return known[0]


def stricter_ask(one: Ask, other: object) -> Ask:
    """The one that asks more often."""
    return next(ask for ask in ASK if ask in (one, other))


def default_security(*, is_owner: bool) -> Security:
    """The mode where the configuration states none: owners have a list, others run nothing."""
    return "allowlist" if is_owner else "deny"


def exec_decide(mode: Mode, *, satisfied: bool, attended: bool) -> Outcome:
    """Whether a command runs, waits for somebody, or is refused.

    `satisfied`: everything in it is allowed by itself. Nobody there: the fallback, at once.
    """
    if mode.security == "deny":
        return "deny"
    allowed = mode.security == "full" or satisfied
    if mode.ask == "off" or (mode.ask == "on-miss" and allowed):
        return "allow" if allowed else "deny"
    if attended:
        return "ask"
    if mode.fallback == "full":
        return "allow"
    return "allow" if mode.fallback == "allowlist" and satisfied else "deny"


def exec_decide_narrowed(
    mode: Mode, security: object, ask: object, *, satisfied: bool, attended: bool
) -> Outcome:
    """The same for a call that asks for a mode of its own: the stricter outcome holds.

    So a call cannot make a question of what is refused, either.
    """
    modes = (mode, mode.narrowed(security, ask))
    outcomes = [exec_decide(one, satisfied=satisfied, attended=attended) for one in modes]
    return min(outcomes, key=OUTCOMES.index)
