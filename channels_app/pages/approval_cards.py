"""A question whether something may run, as a person reads and answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.principal import APPROVALS, Principal
from sessions.approvals.selectors import visible_approvals
from sessions.approvals.shapes import command_text, preview, shortened
from sessions.models import Approval

States = Approval.State
# The word and the look of each answer's button, in the order in which they stand.
_LOOKS = {States.ALLOWED_ONCE: "allow", States.ALLOWED_ALWAYS: "", States.DENIED: "danger"}
_DOTS = {
    States.PENDING: "warn",
    States.ALLOWED_ONCE: "ok",
    States.ALLOWED_ALWAYS: "ok",
    States.DENIED: "bad",
    States.EXPIRED: "bad",
    States.WITHDRAWN: "none",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer: what is sent, the word on its button and its look."""

    decision: str
    label: str
    look: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalCard:
    """Everything that the card of one question shows.

    `command` is what would run, whole; `line` the same on one line. `stored` says what an
    allow-always would keep, each a program and a pattern for its arguments. `outside`: content
    from outside is the reason. `seconds_left` is None once it was answered. Without `choices` the
    reader may look but not answer.
    """

    approval: Approval
    title: str
    command: str
    line: str
    dot: str
    word: str
    seconds_left: int | None = None
    choices: tuple[Choice, ...] = ()
    stored: tuple[tuple[str, str], ...] = ()
    outside: bool = False
    facts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def waits(self) -> bool:
        """Whether it can still be answered."""
        return self.seconds_left is not None

    @property
    def milliseconds_left(self) -> int:
        """The time left as the template's filter takes it."""
        return 1000 * (self.seconds_left or 0)


def approval_card(approval: Approval, principal: Principal) -> ApprovalCard:
    """The card of one approval for a reader. Asks nothing where run and session are read."""
    left = _seconds_left(approval)
    can_decide = left is not None and principal.has_scope(APPROVALS)
    dot, word = state_words(approval)
    return ApprovalCard(
        approval=approval,
        title=_title(approval),
        command=_whole(approval),
        line=preview(command_text(approval)),
        dot=dot,
        word=word,
        seconds_left=left,
        choices=tuple(_choices(approval)) if can_decide else (),
        stored=tuple(_stored(approval)),
        outside=bool(approval.facts.get("outside")),
        facts=list(_facts(approval)),
    )


def approval_cards(found: Iterable[Approval], principal: Principal) -> list[ApprovalCard]:
    """The cards of several, in their order."""
    return [approval_card(approval, principal) for approval in found]


def approvals_waiting(*, principal: Principal) -> int:
    """How many questions wait that the reader may know of."""
    pending = visible_approvals(principal).filter(state=States.PENDING)
    return pending.filter(expires_at__gt=timezone.now()).order_by().count()


def approval_words() -> dict[str, str]:
    """What the scripts of pages with cards say."""
    return {
        "approval_left": _("{time} left"),
        "approval_failed": _("The answer could not be sent. Try again."),
    }


def page_words() -> dict[str, Any]:
    """What the script of a page of its own needs: its words, and the product's version."""
    return {**approval_words(), "version": settings.SPECTACULAR_SETTINGS["VERSION"]}


def state_words(approval: Approval) -> tuple[str, str]:
    """The dot and the sentence for how a question stands: who decided, or that nobody did."""
    state = States(approval.state)
    if state == States.PENDING and _seconds_left(approval) is None:
        state = States.EXPIRED
    by = approval.decided_by or _("somebody")
    words = {
        States.PENDING: _("waits for a decision"),
        States.ALLOWED_ONCE: _("Allowed once by %(by)s"),
        States.ALLOWED_ALWAYS: _("Always allowed by %(by)s"),
        States.DENIED: _("Denied by %(by)s"),
        States.EXPIRED: _("Expired: nobody answered in time, so it did not run"),
        States.WITHDRAWN: _("Withdrawn: the turn ended before somebody answered"),
    }
    return _DOTS[state], words[state] % {"by": by}


def _seconds_left(approval: Approval) -> int | None:
    left = (approval.expires_at - timezone.now()).total_seconds()
    return None if approval.state != States.PENDING or left <= 0 else max(1, round(left))


def _title(approval: Approval) -> str:
    if approval.tool == "exec":
        return _("Run this command?")
    if approval.tool == "process" and approval.facts.get("command"):
        return _("Type this into the running command?")
    return _("Use the tool %(tool)s?") % {"tool": approval.tool}


def _whole(approval: Approval) -> str:
    """What would run, to its last character; a tool's arguments as indented JSON."""
    command = approval.facts.get("command") or approval.arguments.get("command")
    if isinstance(command, str) and command:
        return str(shortened(command))
    if not approval.arguments:
        return approval.tool
    plain = orjson.dumps(shortened(approval.arguments), option=orjson.OPT_INDENT_2)
    return f"{approval.tool} {plain.decode()}"


def _choices(approval: Approval) -> Iterator[Choice]:
    labels = {
        States.ALLOWED_ONCE: _("Allow once"),
        States.ALLOWED_ALWAYS: _("Always allow"),
        States.DENIED: _("Deny"),
    }
    for decision, look in _LOOKS.items():
        if decision in approval.decisions:
            yield Choice(str(decision), labels[decision], look)


def _stored(approval: Approval) -> Iterator[tuple[str, str]]:
    if States.ALLOWED_ALWAYS not in approval.decisions:
        return
    for rule in approval.facts.get("allow") or ():
        if isinstance(rule, dict) and rule.get("pattern"):
            yield str(rule["pattern"]), str(rule.get("argumentPattern") or "")


def _variables(approval: Approval) -> str:
    """What a command would find in its environment besides the usual, values included."""
    given = approval.arguments.get("env")
    if not isinstance(given, dict):
        return ""
    return " ".join(f"{name}={value}" for name, value in given.items())


def _facts(approval: Approval) -> Iterator[tuple[str, str]]:
    facts = approval.facts
    said: tuple[tuple[str, Any], ...] = (
        (_("Working folder"), facts.get("cwd")),
        (_("Runs on"), facts.get("host")),
        (_("Outside the sandbox"), _("yes") if facts.get("elevated") else ""),
        (
            _("Programs"),
            ", ".join(map(str, facts.get("programs") or ())) or facts.get("resolvedPath"),
        ),
        (_("Variables"), _variables(approval)),
        (_("Agent"), approval.agent_slug),
        (_("Asked by"), approval.asked_of),
        (_("Came through"), approval.origin),
        (_("Code"), approval.slug),
    )
    yield from ((name, str(value)) for name, value in said if value)
