"""Steps of a run's timeline that say how it kept going: attempts, summaries, hooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _

from channels_app.pages import wording
from channels_app.pages.redaction import text_redacted
from channels_app.pages.step import Step, state_kind
from sessions.models import Compaction, HookCall, ModelCall

# A hook that took longer than this gets a line of its own, in milliseconds.
QUIET_MS = 50.0
DOT = " · "


def action_words(action: str) -> str:
    """What was done after a failed call, in words; the stored word for an unknown one."""
    words = {
        "retry": _("tried again"),
        "backoff": _("waited, then tried again"),
        "rotate": _("next credential"),
        "fallback": _("next model"),
        "compact": _("history summarised"),
        "truncate": _("tool results cut"),
        "stop": _("gave up"),
    }
    return words.get(action, action)


def model_step(call: ModelCall) -> Step:
    """One request. A failure that was got over is a warning, the one that ended it is bad."""
    got_over = call.state == ModelCall.State.FAILED and call.action not in ("", "stop")
    return Step(
        kind="model",
        title=_model_title(call),
        started=call.started_at,
        ended=call.ended_at or (None if call.state == "running" else call.started_at),
        detail=DOT.join(_model_detail(call)),
        state=str(call.get_state_display()),
        state_kind="warn" if got_over else state_kind(call.state),
        subject=call,
        facts=_model_facts(call),
    )


def _model_title(call: ModelCall) -> str:
    title = _("Summary, call %(n)s") if call.purpose == "compaction" else _("Model call %(n)s")
    return title % {"n": call.number}


def _model_detail(call: ModelCall) -> Iterator[str]:
    # What went wrong comes first: the end of a long line is cut.
    if call.error_kind:
        status = f" {call.http_status}" if call.http_status else ""
        then = f" → {action_words(call.action)}" if call.action else ""
        yield f"{call.error_kind}{status}{then}"
    yield f"{call.provider}/{call.model}"
    if call.attempt > 1:
        yield _("attempt %(n)s") % {"n": call.attempt}


def _model_facts(call: ModelCall) -> list[tuple[str, str]]:
    then = action_words(call.action)
    if call.action_reason:
        then = f"{then}: {call.action_reason}"
    return _given(
        (_("Asked for"), call.purpose if call.purpose != "turn" else ""),
        (_("Credential"), call.profile),
        (_("Attempt"), call.attempt if call.attempt > 1 or call.action else ""),
        (_("Then"), text_redacted(then) if call.action else ""),
    )


def compaction_steps(found: Iterable[Compaction]) -> Iterator[Step]:
    """Each try to summarise old history, with its diagnosis."""
    for row in found:
        change = f"{wording.count(row.tokens_before)} → {wording.count(row.tokens_after)}"
        done = row.outcome == Compaction.Outcome.DONE
        parts = [row.trigger, _("%(change)s tokens") % {"change": change} if done else row.reason]
        yield Step(
            kind="compaction",
            title=_("History summarised") if done else _("Summary of the history"),
            started=row.created_at - timedelta(milliseconds=row.duration_ms),
            ended=row.created_at,
            detail=DOT.join(part for part in parts if part),
            state=str(row.get_outcome_display()),
            state_kind=_mild(row.outcome),
            subject=row,
            facts=_compaction_facts(row),
        )


def _compaction_facts(row: Compaction) -> list[tuple[str, str]]:
    model = f"{row.provider}/{row.model}" if row.model else ""
    heaviest = (
        f"{one.get('tool') or one.get('role', '')} {wording.count(one.get('tokens'))}"
        for one in row.top
        if isinstance(one, dict)
    )
    return _given(
        (_("Trigger"), row.trigger),
        (_("Attempt"), row.attempt),
        (_("Reason"), row.reason),
        (_("Error"), text_redacted(row.error)),
        (_("Diagnostic id"), row.diagnostic),
        (_("Model"), model),
        (_("Messages"), _of(row.messages_before, row.messages_kept)),
        (_("Tokens"), _of(row.tokens_before, row.tokens_after)),
        (_("Characters"), wording.count(row.history_chars)),
        (_("… of tool results"), wording.count(row.tool_result_chars)),
        (_("Heaviest"), ", ".join(heaviest)),
    )


def _of(before: int, after: int) -> str:
    return f"{wording.count(before)} → {wording.count(after)}"


def hook_steps(found: Iterable[HookCall]) -> Iterator[Step]:
    """Each call of a plugin's handler."""
    for call in found:
        note = text_redacted(call.note)
        yield Step(
            kind="hook",
            title=call.hook,
            started=call.started_at,
            ended=call.started_at + timedelta(milliseconds=call.duration_ms),
            detail=DOT.join(part for part in (call.handler, note) if part),
            state=str(call.get_outcome_display()),
            state_kind=_mild(call.outcome),
            subject=call,
            facts=_given(
                (_("Handler"), call.handler),
                (_("Note"), note),
                (_("Took"), _took(call)),
            ),
        )


def hooks_folded(steps: Sequence[Step]) -> list[Step]:
    """The steps with neighbouring hooks that went by quickly, and well, in one line."""
    folded: list[Step] = []
    quiet: list[Step] = []
    for step in steps:
        if _is_quiet(step):
            quiet.append(step)
            continue
        folded += _one_line(quiet)
        quiet = []
        folded.append(step)
    return folded + _one_line(quiet)


def _is_quiet(step: Step) -> bool:
    call = step.subject
    return (
        isinstance(call, HookCall)
        and call.outcome == HookCall.Outcome.DONE
        and not call.note
        and call.duration_ms < QUIET_MS
    )


def _one_line(steps: list[Step]) -> list[Step]:
    if len(steps) < 2:
        return steps
    names = dict.fromkeys(step.title for step in steps)
    return [
        replace(
            steps[0],
            title=_("%(n)s hooks") % {"n": len(steps)},
            ended=max(step.ended or step.started for step in steps),
            detail=", ".join(names),
            subject=None,
            facts=[
                (step.title, f"{step.subject.handler}{DOT}{_took(step.subject)}") for step in steps
            ],
        )
    ]


def _mild(outcome: str) -> str:
    """The dot of something without which a run goes on."""
    kind = state_kind(outcome)
    return "warn" if kind == "bad" else kind


def _took(call: HookCall) -> str:
    if call.duration_ms < 10:
        return _("%(n)s ms") % {"n": f"{call.duration_ms:.1f}"}
    return wording.duration(call.duration_ms)


def _given(*pairs: tuple[str, Any]) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in pairs if value]
