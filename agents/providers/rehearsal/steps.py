"""What the rehearsal model does next, for each of its requests.

A plan is a pure function of the view: it is asked again after every tool result and sees from the
results how far it has come.
"""

from __future__ import annotations

from collections.abc import Callable

from agents.providers.rehearsal.scripts import rehearsal_find
from agents.providers.rehearsal.texts import ADD_PROVIDER, HELP, LONG_TEXT, MARKDOWN
from agents.providers.rehearsal.view import Step, View

FILE = "rehearsal.txt"
FILE_TEXT = "This file was written in a rehearsal.\nThe second line is plain.\nThe third is last.\n"
OLD_LINE, NEW_LINE = "The second line is plain.", "The second line was edited."
MISSING_FILE = "no-such-file.txt"
HELLO_COMMAND = "echo 'Hello from the command line'"
# What the user wrote is repeated up to here, in characters.
ECHO_CHARS = 80

Plan = Callable[[View], Step]


def step_next(view: View) -> Step:
    """The next answer of the rehearsal model."""
    found = rehearsal_find(view.asked)
    return _unknown(view) if found is None else PLANS[found.id](view)


def _quoted(text: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}\n{text or '(no output)'}\n{fence}"


def _trouble(view: View) -> Step:
    name = view.results[-1].tool_name
    return Step(
        f"The tool `{name}` answered with an error, so I stop here:\n\n{_quoted(view.output)}"
    )


def _help(view: View) -> Step:
    return Step(HELP)


def _long_text(view: View) -> Step:
    return Step(LONG_TEXT)


def _markdown(view: View) -> Step:
    return Step(MARKDOWN)


def _list_files(view: View) -> Step:
    if not view.steps:
        return view.call("exec", {"command": "ls -la"}, "I will look into the workspace.")
    if view.failed:
        return _trouble(view)
    return Step(f"These are the files in the workspace:\n\n{_quoted(view.output)}")


def _run_command(view: View) -> Step:
    if not view.steps:
        return view.call("exec", {"command": HELLO_COMMAND}, "I will run a command.")
    if view.failed:
        return _trouble(view)
    return Step(f"The command printed:\n\n{_quoted(view.output)}")


def _write(view: View, text: str = "") -> Step:
    return view.call("write", {"path": FILE, "content": FILE_TEXT}, text)


def _write_file(view: View) -> Step:
    if not view.steps:
        return _write(view, "I will write the file.")
    if view.failed:
        return _trouble(view)
    return Step(f"I wrote three lines to `{FILE}`. Ask me to read or to edit it.")


def _read_file(view: View) -> Step:
    if not view.steps:
        return view.call("read", {"path": FILE}, "I will read the file.")
    if not view.failed and view.results[-1].tool_name == "read":
        return Step(f"`{FILE}` contains:\n\n{_quoted(view.output)}")
    if view.failed and view.steps == 1:
        return _write(view, "The file is not there yet, so I will write it first.")
    return _trouble(view) if view.failed else view.call("read", {"path": FILE})


def _edit_file(view: View) -> Step:
    change = {"path": FILE, "edits": [{"oldText": OLD_LINE, "newText": NEW_LINE}]}
    if not view.steps:
        return view.call("edit", change, "I will edit the second line.")
    if not view.failed and view.results[-1].tool_name == "edit":
        return Step(f"The second line of `{FILE}` now reads: {NEW_LINE}")
    if view.failed and view.steps == 1:
        return _write(view, "That line is not there, so I will write the file first.")
    return _trouble(view) if view.failed else view.call("edit", change)


def _two_tools(view: View) -> Step:
    if not view.steps:
        write = ("write", {"path": FILE, "content": FILE_TEXT})
        return view.call_all(("exec", {"command": HELLO_COMMAND}), write, text="Two tools at once.")
    if any(result.is_error for result in view.results):
        return Step("Both tools ran together, and at least one of them answered with an error.")
    return Step(f"Both tools ran together: a command, and the writing of `{FILE}`.")


def _error(view: View) -> Step:
    if not view.steps:
        return view.call("read", {"path": MISSING_FILE}, "I will read a file that does not exist.")
    return Step(
        "As expected, the tool failed. A model sees the error and can try something else; here it "
        f"said:\n\n{_quoted(view.output)}"
    )


def _unknown(view: View) -> Step:
    said = " ".join(view.asked.split())
    shown = said if len(said) <= ECHO_CHARS else f"{said[:ECHO_CHARS]}…"
    images = f" and attached {view.images} image(s)" if view.images else ""
    return Step(
        f"You wrote “{shown}”{images}. I cannot answer that: this is a rehearsal model, a script "
        f"without a language model behind it. Ask “What can you do?” to see what I can show.\n\n"
        f"{ADD_PROVIDER}"
    )


PLANS: dict[str, Plan] = {
    "help": _help,
    "list-files": _list_files,
    "write-file": _write_file,
    "read-file": _read_file,
    "edit-file": _edit_file,
    "run-command": _run_command,
    "two-tools": _two_tools,
    "long-text": _long_text,
    "markdown": _markdown,
    "error": _error,
}
