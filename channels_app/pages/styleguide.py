"""Every part of the pages in one place, for those who build them."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from agents.core.errors import NotFound
from channels_app.markdown import markdown_render
from channels_app.pages.approval_cards import approval_cards
from channels_app.pages.chart import bars_chart
from channels_app.pages.door import PageRequest, page, page_render
from channels_app.pages.transcript import Attached, Card
from channels_app.pages.wording import UNKNOWN
from sessions.models import Approval

_SAMPLE = """Text with **weight**, `code` and a [link](https://www.djangoproject.com/).

- one
- two

| Model | Tokens |
|:--|--:|
| small | 1,204 |

```python
def greet(name: str) -> str:
    return f"Hello, {name}"  # a comment
```
"""


class _SampleForm(forms.Form):
    name = forms.CharField(
        label="Name",
        help_text="Help stands under the field.",
        widget=forms.TextInput(attrs={"class": "input"}),
    )
    model = forms.ChoiceField(
        label="Model",
        choices=[("a", "small"), ("b", "large")],
        widget=forms.Select(attrs={"class": "select"}),
    )
    zone = forms.CharField(label="Zone", widget=forms.TextInput(attrs={"class": "input"}))


@page
@require_GET
def styleguide(request: PageRequest) -> HttpResponse:
    """For owners, and for everybody while DEBUG is on."""
    if not (settings.DEBUG or request.principal.is_owner):
        raise NotFound(_("There is no such thing here."))
    form = _SampleForm({"name": "Ada", "model": "a", "zone": ""})
    form.is_valid()
    context: dict[str, Any] = {"nav": "", "form": form, "parts": _parts()}
    context["questions"] = approval_cards(_questions(), request.principal)
    return page_render(request, "pages/styleguide.html", context)


def _parts() -> dict[str, Any]:
    now = timezone.now()
    counts = [3, 5, 2, 8, 13, 9, 4, 6, 11, 7, 3, 12]
    steps = (
        ("waited", "Waited for a worker", 0, 120),
        ("resumed", "Resumed (1)", 120, 4),
        ("end", "Ended", 990, 4),
    )
    return {
        "user": _message(text="List the files here.", files=[Attached("notes.txt")]),
        "agent": _message(
            html=markdown_render(_SAMPLE),
            thinking="The person wants to see every part at once.",
            cards=[_card("done", 41.0), _card("failed", 1240.0), _card("running", None)],
        ),
        "steps": [
            SimpleNamespace(
                kind=kind,
                title=title,
                at=at,
                length=length,
                x=at,
                width=length,
                started=now,
                detail="ls -la",
                state="done",
                state_kind="ok",
                facts=[("Attempts", "1")],
                subject=None,
            )
            for kind, title, at, length in steps
        ],
        "chart": bars_chart(
            "Runs an hour", [(f"{n} h", count, n % 5 == 0) for n, count in enumerate(counts)]
        ),
        "earlier": now - timedelta(minutes=3),
        "pairs": [("Agent", "main"), ("Model", "rehearsal/rehearsal"), ("Cost", UNKNOWN)],
        "tabs": [
            {"href": "#", "label": "Overview", "current": True},
            {"href": "#", "label": "Files", "current": False},
        ],
        "code": 'make up\nopen "http://127.0.0.1:18789/"',
    }


def _questions() -> list[Approval]:
    """One that waits, one after outside content, and one that was answered; none is stored."""
    command = {"command": "git push origin main", "cwd": "/srv/work", "host": "gateway"}
    always = [{"pattern": "/usr/bin/git", "argumentPattern": ""}]
    sample: dict[str, Any] = {
        "agent_slug": "main",
        "asked_of": "Ada",
        "slug": "7f3a91c0",
        "expires_at": timezone.now() + timedelta(minutes=2),
    }
    return [
        Approval(
            tool="exec",
            facts={**command, "allow": always},
            reason="/usr/bin/git is not on the list of allowed commands.",
            decisions=["allow-once", "allow-always", "deny"],
            **sample,
        ),
        Approval(
            tool="message",
            arguments={"to": "bob", "text": "hello"},
            facts={"outside": ["web_fetch"]},
            reason="This turn has read content from outside: web_fetch (https://example.org/).",
            decisions=["allow-once", "deny"],
            **sample,
        ),
        Approval(tool="exec", facts=command, state="deny", decided_by="Ada", **sample),
    ]


def _message(**values: Any) -> SimpleNamespace:
    blank: dict[str, Any] = {
        **dict.fromkeys(("id", "seq", "wire_id", "parent_id", "text", "html", "error"), ""),
        "thinking": "",
        "files": [],
        "cards": [],
        "foot": None,
    }
    return SimpleNamespace(**blank | values)


def _card(state: str, milliseconds: float | None) -> Card:
    return Card(
        call_id=f"sample-{state}",
        name="exec",
        icon="terminal",
        verb="run",
        argument="ls -la",
        arguments='{\n  "command": "ls -la"\n}',
        state=state,
        result="README.md\n",
        milliseconds=milliseconds,
    )
