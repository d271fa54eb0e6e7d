"""The admin's sidebar: grouped by what an operator wants to know."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from channels_app.models import Device
from openclaw_site.admin_dashboard import failed_today
from sessions.models import Run


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """The groups. Only lists below an open address are marked as current."""
    return [
        {"title": _("At a glance"), "items": _glance(request)},
        {"title": _("Agents"), "separator": True, "items": _agents(request)},
        {"title": _("Work"), "separator": True, "items": _work(request)},
        {"title": _("People and programs"), "separator": True, "items": _people(request)},
        {
            "title": _("Internals"),
            "separator": True,
            "collapsible": True,
            "items": _internals(request),
        },
    ]


def _glance(request: HttpRequest) -> list[dict[str, Any]]:
    runs = reverse("admin:agent_sessions_run_changelist")
    query = request.GET
    is_runs = request.path == runs
    is_now = is_runs and query.get("standing") == "open"
    is_failed = is_runs and query.get("standing") == "error" and query.get("when") == "today"
    return [
        {
            "title": _("Overview"),
            "icon": "dashboard",
            "link": reverse("admin:index"),
            "active": request.path == reverse("admin:index"),
        },
        {
            "title": _("What runs now"),
            "icon": "play_circle",
            "link": f"{runs}?standing=open",
            "active": is_now,
            **_badge(Run.objects.exclude(state=Run.State.ENDED), "info"),
        },
        {
            "title": _("What failed today"),
            "icon": "error",
            "link": f"{runs}?standing=error&when=today",
            "active": is_failed,
            **_badge(failed_today(), "danger"),
        },
        {
            "title": _("Who spends"),
            "icon": "payments",
            "link": reverse("admin:agent_sessions_spending_changelist") + "?when=month",
            "active": request.path == reverse("admin:agent_sessions_spending_changelist"),
        },
        _list(request, _("Budgets"), "savings", "agent_sessions_budget"),
    ]


def _agents(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        _list(request, _("Agents"), "smart_toy", "agents_agent"),
        _list(request, _("Bindings"), "route", "agents_binding"),
        _list(request, _("Providers"), "cloud", "agents_provider"),
        _list(request, _("Credentials"), "key", "agents_authprofile"),
        _list(request, _("Rests of credentials"), "hourglass_top", "agents_profilestate"),
        _list(request, _("Allowed commands"), "terminal", "tools_execallowance"),
        _list(request, _("Sandbox containers"), "deployed_code", "tools_sandboxcontainer"),
        _list(request, _("MCP servers"), "hub", "tools_mcpcatalogue"),
        _list(request, _("Configuration"), "tune", "agents_configsection"),
        _list(request, _("Revisions"), "history", "agents_configrevision"),
    ]


def _work(request: HttpRequest) -> list[dict[str, Any]]:
    runs = _list(request, _("Runs"), "bolt", "agent_sessions_run")
    query = request.GET
    runs["active"] = runs["active"] and query.get("standing") not in ("open", "error")
    calls = _list(request, _("Model calls"), "psychology", "agent_sessions_modelcall")
    calls["active"] = calls["active"] and "/spending/" not in request.path
    return [
        _list(request, _("Sessions"), "forum", "agent_sessions_session"),
        runs,
        calls,
        _list(request, _("Tool calls"), "build", "agent_sessions_toolcall"),
        _list(request, _("Approvals"), "how_to_reg", "agent_sessions_approval"),
        _list(request, _("Compactions"), "compress", "agent_sessions_compaction"),
        _list(request, _("Hook calls"), "webhook", "agent_sessions_hookcall"),
        _list(request, _("Inbox"), "inbox", "agent_sessions_inboxitem"),
        _list(request, _("System events"), "campaign", "agent_sessions_systemevent"),
        _list(request, _("Deliveries"), "outbox", "agent_sessions_delivery"),
        _list(request, _("Files"), "attach_file", "agent_sessions_artifact"),
        _list(request, _("Subagent runs"), "account_tree", "agent_sessions_subagentrun"),
    ]


def _people(request: HttpRequest) -> list[dict[str, Any]]:
    devices = _list(request, _("Devices"), "devices", "channels_app_device")
    devices |= _badge(Device.objects.filter(approved_at=None, revoked_at=None), "warning")
    return [
        _list(request, _("People"), "group", "agent_sessions_person"),
        _list(request, _("Identities"), "alternate_email", "agent_sessions_channelidentity"),
        _list(request, _("Accounts"), "badge", "auth_user"),
        _list(request, _("Sign-in links"), "link", "agent_sessions_signinlink"),
        devices,
        _list(request, _("API tokens"), "vpn_key", "channels_app_apitoken"),
    ]


def _internals(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        _list(request, _("Switch"), "power_settings_new", "agent_sessions_switch"),
        _list(request, _("Transcripts"), "history_edu", "agent_sessions_transcript"),
        _list(request, _("Entries"), "notes", "agent_sessions_entry"),
        _list(request, _("Receipts"), "receipt_long", "agent_sessions_inboundreceipt"),
        _list(request, _("Prompts"), "description", "agent_sessions_prompt"),
        _list(request, _("Budget windows"), "date_range", "agent_sessions_budgetwindow"),
        _list(request, _("Budget holds"), "hourglass", "agent_sessions_budgethold"),
        _list(request, _("Ticks"), "schedule", "django_celery_beat_periodictask"),
    ]


def _badge(rows: QuerySet[Any], variant: str) -> dict[str, str]:
    """How many there are, nothing for none."""
    number = rows.count()
    return {"badge": str(number), "badge_variant": variant} if number else {}


def _list(request: HttpRequest, title: str, icon: str, name: str) -> dict[str, Any]:
    link = reverse(f"admin:{name}_changelist")
    return {"title": title, "icon": icon, "link": link, "active": request.path.startswith(link)}
