"""/context: what the model is told before the first message, and what that costs."""

from __future__ import annotations

import orjson

from sessions.command_actions.action import Asked, choices_line
from sessions.prompts import prompt_shown, size_lines

FORMS = ("list", "detail", "json")


def context(asked: Asked) -> str:
    """The parts of the prompt with their tokens; `detail` each tool too, `json` for programs."""
    form = asked.rest.lower() or "list"
    if form not in FORMS:
        return choices_line(FORMS)
    shown = prompt_shown(principal=asked.principal, session=asked.session.key)
    if form == "json":
        facts = {name: value for name, value in shown.to_json().items() if name != "text"}
        return f"```json\n{orjson.dumps(facts, option=orjson.OPT_INDENT_2).decode()}\n```"
    return "\n".join(["```", *size_lines(shown, tools=form == "detail"), "```"])
