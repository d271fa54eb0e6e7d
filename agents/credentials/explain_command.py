"""`manage.py auth explain`: the page "Which credential?" as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from agents.credentials.explanation import Explanation, Line, credential_explain


def explain_add(commands: Any) -> None:
    """Adds the subcommand to a command's subparsers."""
    explain = commands.add_parser("explain", help="say which credential an agent would use")
    explain.add_argument("--agent", default="", metavar="ID", help="default: the default agent")
    explain.add_argument("--model", default="", metavar="NAME", help="default: the agent's model")
    explain.add_argument(
        "--profile", default="", metavar="NAME", help="as if a person had chosen this one"
    )


def explain_text(options: Mapping[str, Any]) -> str:
    """The whole answer. Raises UserError for an agent or model that is not known."""
    explained = credential_explain(
        agent=options["agent"], model=options["model"], chosen=options["profile"]
    )
    return "\n".join(_lines(explained))


def _lines(explained: Explanation) -> Iterator[str]:
    yield explained.sentence
    for layer in explained.layers:
        number = f"{layer.number}. " if layer.number else ""
        yield f"\n{number}{layer.title}"
        if layer.note:
            yield f"   {layer.note}"
        for line in layer.lines:
            yield f"   {line.credential.id} ({line.credential.kind}): {line.word}. {_why(line)}"


def _why(line: Line) -> str:
    text = line.sentence
    if line.ends is not None:
        end = timezone.localtime(line.ends)
        text += " " + _("Until %(end)s.") % {"end": f"{end:%Y-%m-%d %H:%M:%S %Z}"}
    return f"{text} {line.message}".rstrip()
