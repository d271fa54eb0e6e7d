"""The judge of commands: what exec is asked to run, and what is typed into what runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.core.messages import ToolCall
from agents.core.tools import Allow, Deny, Park, ToolContext, Verdict
from tools.allowances import allowance_used
from tools.builtin.exec.environment import command_path
from tools.builtin.exec.environment_names import refused_in_calls
from tools.exec_rules import ExecBook, exec_book_fetch, exec_book_known
from tools.exec_security.analysis import Analysis, command_analyse
from tools.exec_security.decision import Mode, default_security, exec_decide_narrowed
from tools.exec_security.elevated import Asker
from tools.exec_security.hosts import Host, host_choose
from tools.exec_security.place import Place
from tools.exec_security.scripts import scripts_of
from tools.exec_security.self_approval import self_approval
from tools.exec_security.syntax import harmless_variable
from tools.exec_settings import exec_settings_known

RULE = "exec security"
TYPING = frozenset({"write", "submit", "send-keys", "paste"})
ONCE = ("allow-once", "deny")
ALWAYS = ("allow-once", "allow-always", "deny")
_WAYS_OUT = (
    "An administrator can put it on the list of allowed commands (manage.py allowances add), or "
    "change tools.exec.security, tools.exec.ask or tools.exec.askFallback."
)


@dataclass(frozen=True, slots=True)
class _Case:
    """One call with all that decides about it. `asked` are security and ask of the call."""

    text: str
    mode: Mode
    asked: tuple[object, object]
    host: Host
    context: ToolContext
    folder: Path
    variables: tuple[str, ...] = ()

    @property
    def narrowed(self) -> Mode:
        """The mode with what the call asks for."""
        return self.mode.narrowed(*self.asked)


async def exec_prepare(calls: Sequence[ToolCall], context: ToolContext) -> None:
    """Reads the rules before calls are judged; nothing where no command is among them."""
    if any(call.name in ("exec", "process") for call in calls):
        await exec_book_fetch(context)


def judge_exec(call: ToolCall, context: ToolContext) -> Verdict | None:
    """Lets a command run, has somebody asked, or denies it; None for calls of other tools."""
    if call.name not in ("exec", "process"):
        return None
    typed = call.name == "process"
    text = _typed(call.arguments) if typed else call.arguments.get("command")
    if not isinstance(text, str) or not (typed or text.strip()):
        # The tool itself tells what is wrong with such a call.
        return None
    if "\0" in text:
        return Deny(f"Denied by the rule {RULE!r}: the command contains a NUL byte.")
    if why := self_approval(text):
        return Deny(f"Denied by the rule {RULE!r}: {why}.")
    book = exec_book_known(context.agent_id)
    if book is None:
        return Deny(f"Denied by the rule {RULE!r}: the configuration was not read yet. Try again.")
    host = exec_host(call.arguments if not typed else {}, context, book)
    if host.problem:
        return Deny(f"Denied by the rule {RULE!r}: {host.problem}.")
    if host.where == "sandbox":
        return None
    case = _case(call.arguments, text, book, host, context)
    if case.narrowed.security == "deny":
        return Deny(_deny_text(case, book))
    if typed:
        return _decided(case, Analysis(False, ("it types into a command that runs",)))
    return _judged(case, book)


def exec_host(
    arguments: Mapping[str, Any], context: ToolContext, book: ExecBook | None = None
) -> Host:
    """Where a call of exec runs. A problem makes it a call that must not run."""
    book = book or exec_book_known(context.agent_id)
    if book is None:
        return Host(where="sandbox" if context.sandboxed else "gateway")
    principal = context.principal
    return host_choose(
        arguments,
        sandboxed=context.sandboxed,
        configured=book.host,
        level=str(context.settings.get("elevated") or ""),
        rules=book.elevated,
        asker=Asker(
            channel=context.channel or "web",
            names=(principal.id, principal.name),
            is_owner=principal.is_owner,
            agent=context.agent_id,
        ),
    )


def leaves_sandbox(arguments: Mapping[str, Any], context: ToolContext) -> bool:
    """Whether a call of a sandboxed turn, which the gate let pass, runs on this machine."""
    host = exec_host(arguments, context)
    return host.where == "gateway" and not host.problem


def _case(
    arguments: Mapping[str, Any], text: str, book: ExecBook, host: Host, context: ToolContext
) -> _Case:
    stated = book.security or default_security(is_owner=context.principal.is_owner)
    mode = Mode(stated, book.ask, book.fallback)
    if host.free and mode.security != "deny":
        mode = Mode("full", "off", book.fallback)
    given = arguments.get("env")
    chosen = dict(given) if isinstance(given, Mapping) else {}
    return _Case(
        text=text,
        mode=mode,
        asked=(arguments.get("security"), arguments.get("ask")),
        host=host,
        context=context,
        folder=_folder(arguments.get("workdir"), context.workspace),
        variables=tuple(
            sorted(str(name) for name in chosen if not harmless_variable(name, str(chosen[name])))
        ),
    )


def _judged(case: _Case, book: ExecBook) -> Verdict:
    if case.narrowed.security == "full" and case.narrowed.ask != "always":
        return Allow()
    # The tool would refuse it whatever is answered: nobody needs to be asked.
    if refused := [name for name in case.variables if refused_in_calls(name)]:
        return Deny(f"Denied by the rule {RULE!r}: env.{refused[0]} may not be set for a command.")
    analysis = command_analyse(case.text, place=_place(case, book), rules=book.rules)
    if case.variables:
        why = f"it sets the variables {', '.join(case.variables)}"
        analysis = Analysis(False, (*analysis.reasons, why), programs=analysis.programs)
    return _decided(case, analysis)


def _decided(case: _Case, analysis: Analysis) -> Verdict:
    attended = case.context.attended
    outcome = exec_decide_narrowed(
        case.mode, *case.asked, satisfied=analysis.satisfied, attended=attended
    )
    if outcome == "allow":
        for entry_id, program in analysis.used:
            allowance_used(entry_id, command=case.text, program=program)
        return Allow()
    reasons = "; ".join(analysis.reasons) or "every command is asked about (ask: always)"
    if outcome == "deny":
        nobody = "" if attended or case.narrowed.ask == "off" else " Nobody can be asked now."
        return Deny(f"Denied by the rule {RULE!r}: {reasons}.{nobody} {_WAYS_OUT}")
    keeps = case.narrowed.ask != "always" and bool(analysis.always)
    return Park(
        ref="",
        reason=f"{reasons}.",
        kind="exec",
        facts=_facts(case, analysis, keeps),
        decisions=ALWAYS if keeps else ONCE,
    )


def _facts(case: _Case, analysis: Analysis, keeps: bool) -> dict[str, Any]:
    """What is shown to whoever decides, named as the reference does."""
    always = analysis.always if keeps else ()
    return {
        "command": case.text,
        "cwd": str(case.folder),
        "host": "gateway",
        "elevated": case.host.elevated,
        "security": case.narrowed.security,
        "ask": case.narrowed.ask,
        "agentId": case.context.agent_id,
        "sessionKey": case.context.session_key,
        "envKeys": list(case.variables),
        "resolvedPath": analysis.programs[0] if analysis.programs else "",
        "programs": list(dict.fromkeys(analysis.programs)),
        "scripts": scripts_of(case.text, folder=case.folder, workspace=case.context.workspace),
        "reasons": list(analysis.reasons),
        "allow": [{"pattern": pattern, "argumentPattern": ""} for pattern in always],
    }


def _deny_text(case: _Case, book: ExecBook) -> str:
    if book.security is None and not case.context.principal.is_owner:
        return (
            f"Denied by the rule {RULE!r}: commands are run for owners only, unless an "
            "administrator sets tools.exec.security."
        )
    return f"Denied by the rule {RULE!r}: no command may run (tools.exec.security: deny)."


def _place(case: _Case, book: ExecBook) -> Place:
    context = case.context
    prepend = exec_settings_known(context).path_prepend
    return Place(
        workspace=context.workspace,
        folders=frozenset({case.folder}),
        path=command_path(os.environ, context.environment, prepend),
        home=Path.home(),
        trusted=book.trusted,
    )


def _folder(given: object, workspace: Path) -> Path:
    if not isinstance(given, str) or not given:
        return workspace
    home = str(Path.home())
    return workspace / (home + given[1:] if given == "~" or given.startswith("~/") else given)


def _typed(arguments: Mapping[str, Any]) -> str | None:
    """What is typed, for whoever decides; None when nothing is."""
    if arguments.get("action") not in TYPING:
        return None
    parts = [arguments.get(name) for name in ("data", "literal", "text")]
    for name in ("keys", "hex"):
        given = arguments.get(name)
        parts.extend(given if isinstance(given, list) else ())
    return " ".join(str(part) for part in parts if part)
