"""First step of a tool call: find the tool, check the arguments, or answer at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from agents.core.argument_check import check_arguments
from agents.core.messages import ToolCall
from agents.core.tools import Deny, ForwardsCalls, PreparesArguments, Tool, ToolResult, Verdict

MAX_NAMES_SHOWN = 30


@dataclass(slots=True)
class PreparedCall:
    """One call in its place in the batch.

    Either `tool` is set and the call may be judged and run with the arguments of `call`, or
    `result` is set and nothing runs. `answered` says that the result was known before the batch.
    """

    call: ToolCall
    tool: Tool | None = None
    result: ToolResult | None = None
    answered: bool = False

    def refuse(self, reason: str) -> None:
        """Answers the call with an error; it will not run."""
        self.result = ToolResult.text(reason, is_error=True)


def prepare_call(
    call: ToolCall, tools: Mapping[str, Tool], *, complete: bool, absent: str = ""
) -> PreparedCall:
    """The call ready to be judged, or answered with what is wrong with it. Never raises.

    `complete` is false when the answer was cut off before the arguments had arrived whole.
    `absent` is why the tool is not among `tools`, when that is known.
    """
    prepared = PreparedCall(call)
    tool = tools.get(call.name)
    if tool is None:
        prepared.refuse(absent or _unknown_tool(call.name, tools))
    elif not complete:
        prepared.refuse(
            f"The call of {call.name!r} was not run: the answer hit the output limit before its "
            "arguments were complete. Call again with shorter arguments or in several steps."
        )
    else:
        _check(prepared, tool)
        if isinstance(prepared.tool, ForwardsCalls):
            _forward(prepared, prepared.tool, tools)
    return prepared


def change_arguments(prepared: PreparedCall, verdict: Verdict) -> Verdict:
    """Gives the call the arguments that the verdict has for it and returns the verdict that holds.

    Arguments that the tool's schema refuses are a Deny: nothing runs in their place.
    """
    if isinstance(verdict, Deny) or verdict.arguments is None or prepared.tool is None:
        return verdict
    try:
        checked = check_arguments(prepared.call.name, prepared.tool.parameters, verdict.arguments)
    except Exception as error:  # noqa: BLE001 - the schema is the tool's own
        return Deny(f"Denied: a rule changed the arguments to some that do not fit. {error}")
    prepared.call = replace(prepared.call, arguments=checked)
    return verdict


def _check(prepared: PreparedCall, tool: Tool) -> None:
    call = prepared.call
    try:
        given = (
            tool.prepare(call.arguments) if isinstance(tool, PreparesArguments) else call.arguments
        )
        arguments = check_arguments(call.name, tool.parameters, given)
    except Exception as error:  # noqa: BLE001 - the tool's own code; the model is told what is wrong
        prepared.refuse(str(error))
        return
    if arguments is not call.arguments:
        prepared.call = replace(call, arguments=arguments)
    prepared.tool = tool


def _forward(prepared: PreparedCall, outer: ForwardsCalls, tools: Mapping[str, Tool]) -> None:
    """Makes `prepared` the call of the tool that is meant."""
    prepared.tool = None
    name, arguments = outer.forwarded(prepared.call.arguments)
    inner = tools.get(name)
    if inner is None or isinstance(inner, ForwardsCalls):
        prepared.refuse(f"There is no tool {name[:80]!r} to be called in this turn.")
        return
    prepared.call = replace(prepared.call, name=name, arguments=arguments)
    _check(prepared, inner)


def _unknown_tool(name: str, tools: Mapping[str, Tool]) -> str:
    by_lower = {known.lower(): known for known in tools}
    nearest = get_close_matches(name.lower(), by_lower, n=1)
    if nearest:
        return f"There is no tool {name!r}. Did you mean {by_lower[nearest[0]]!r}?"
    names = ", ".join(list(tools)[:MAX_NAMES_SHOWN])
    return f"There is no tool {name!r}. The tools are: {names or 'none'}."
