"""What the jump palette offers: pages, sessions, actions."""

from __future__ import annotations

from django.http import JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from channels_app.pages.chat import session_name
from channels_app.pages.door import PageRequest, page
from sessions.selectors import sessions_list

SESSIONS = 200


@page
@require_GET
def palette(request: PageRequest) -> JsonResponse:
    """All entries at once; the page filters them while the person types.

    `go` is an address to open, `post` one to send a form to, `theme` a theme to set.
    """
    entries = [
        {"label": _("Panel"), "hint": _("page"), "icon": "panel", "go": reverse("panel")},
        {"label": _("Chat"), "hint": _("page"), "icon": "chat", "go": reverse("chat")},
        {"label": _("Runs"), "hint": _("page"), "icon": "runs", "go": reverse("runs")},
        {"label": _("Approvals"), "hint": _("page"), "icon": "key", "go": reverse("approvals")},
        {
            "label": _("Which credential?"),
            "hint": _("page"),
            "icon": "key",
            "go": reverse("credentials"),
        },
        *_for_owners(request),
        {"label": _("Profile"), "hint": _("page"), "icon": "user", "go": reverse("profile")},
        {
            "label": _("New session"),
            "hint": _("action"),
            "icon": "plus",
            "post": reverse("chat_new"),
        },
        *(
            {"label": label, "hint": _("theme"), "icon": icon, "theme": theme}
            for label, icon, theme in (
                (_("Light"), "sun", "light"),
                (_("Dark"), "moon", "dark"),
                (_("As the system"), "auto", "auto"),
            )
        ),
        {"label": _("Keyboard"), "hint": _("help"), "icon": "keyboard", "dialog": "shortcuts"},
    ]
    if request.user.is_staff:
        admin = reverse("admin:index")
        entries.append(
            {"label": _("Administration"), "hint": _("page"), "icon": "settings", "go": admin}
        )
    entries += [
        {
            "label": session_name(session),
            "hint": session.agent_slug,
            "icon": "chat",
            "go": reverse("chat_session", args=[session.key]),
        }
        for session in sessions_list(principal=request.principal, limit=SESSIONS)
    ]
    return JsonResponse({"entries": entries})


def _for_owners(request: PageRequest) -> list[dict[str, str]]:
    if not request.principal.is_owner:
        return []
    tools = {"label": _("Which tools?"), "hint": _("page"), "icon": "tool", "go": reverse("policy")}
    return [tools]
