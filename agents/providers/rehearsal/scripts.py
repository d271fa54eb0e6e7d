"""The requests that the rehearsal model can answer, as data for the page that offers them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One request: a stable id, a short label for a button, and the text to send."""

    id: str
    label: str
    prompt: str


REHEARSALS: tuple[Rehearsal, ...] = (
    Rehearsal("help", "What can you do?", "What can you do?"),
    Rehearsal("list-files", "List files", "List the files in the workspace."),
    Rehearsal("write-file", "Write a file", "Write the file rehearsal.txt."),
    Rehearsal("read-file", "Read a file", "Read the file rehearsal.txt."),
    Rehearsal("edit-file", "Edit a file", "Edit the file rehearsal.txt."),
    Rehearsal("run-command", "Run a command", "Run a command that says hello."),
    Rehearsal("two-tools", "Two tools at once", "Use two tools at once."),
    Rehearsal("long-text", "Stream a long text", "Stream a long text."),
    Rehearsal("markdown", "Markdown sampler", "Show me a Markdown sampler."),
    Rehearsal("error", "Show an error", "Show me a tool that fails."),
)


def rehearsal_find(text: str) -> Rehearsal | None:
    """The request in `text`; the last one if it holds several; None if it holds none.

    Case, spacing and the final mark do not matter, and neither does what stands around the
    request, for a gateway may put a time stamp or other words before it.
    """
    plain = _plain(text)
    found = [(plain.rfind(_plain(item.prompt)), item) for item in REHEARSALS]
    places = [(place, item) for place, item in found if place >= 0]
    if places:
        return max(places, key=lambda pair: pair[0])[1]
    return next((r for r in REHEARSALS if plain in (r.id, _plain(r.label))), None)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".?!")
