"""Budgets: limits on money and tokens, and what is spent of them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.admin.base import BAD, GOOD, WAITS, OperatorAdmin, RecordAdmin, Shown, column
from agents.admin.fields import SuggestInput
from agents.admin.wording import UNKNOWN, ago, count
from agents.selectors import agents_list
from sessions.admin.parts import list_link, run_link
from sessions.budgets.periods import window_start
from sessions.budgets.selectors import WARNING_SHARE, budget_label, window_share
from sessions.budgets.services import budget_window_reset
from sessions.budgets.wording import usd_text
from sessions.models import Budget, BudgetHold, BudgetWindow, Person

_SHARE = {"enough": GOOD, "near": WAITS, "over": BAD}


def target_names() -> list[str]:
    """Ids of agents and people, for suggestions."""
    people = Person.objects.order_by("name").values_list("id", flat=True)[:100]
    return [*(agent.slug for agent in agents_list()), *people]


class BudgetForm(forms.ModelForm):  # type: ignore[type-arg]
    """A limit. What has no meaning together is told beside the field."""

    class Meta:
        model = Budget
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        target = self.fields["target"]
        target.widget = SuggestInput(target_names)
        target.help_text = _("The id of an agent or of a person. Empty: each on its own.")
        for name in ("limit_usd", "limit_tokens"):
            self.fields[name].widget.attrs["min"] = 0

    def clean(self) -> dict[str, Any]:
        """Scope, target and period fit together, a limit is stated, and no twin exists."""
        data = super().clean() or {}
        scope, period = data.get("scope"), data.get("period")
        target = data["target"] = (data.get("target") or "").strip()
        self._check_period(scope, period)
        self._check_target(scope, target)
        self._check_limits(data)
        twins = Budget.objects.filter(scope=scope, target=target, period=period)
        if not self.errors and twins.exclude(pk=self.instance.pk).exists():
            self.add_error("period", _("There is a budget of this kind already: change that one."))
        return data

    def _check_period(self, scope: Any, period: Any) -> None:
        if scope == Budget.Scope.RUN and period not in (None, Budget.Period.RUN):
            self.add_error("period", _("A limit of each run has the period “run”."))
        if scope == Budget.Scope.EVERYONE and period == Budget.Period.RUN:
            self.add_error("period", _("Choose “each run” above, or a day or a month here."))

    def _check_target(self, scope: Any, target: str) -> None:
        if target and scope in (Budget.Scope.RUN, Budget.Scope.EVERYONE):
            text = _("Leave it empty. For the runs of one agent choose “agent” above.")
            self.add_error("target", text)
        if (
            target
            and scope == Budget.Scope.PERSON
            and not Person.objects.filter(pk=target).exists()
        ):
            self.add_error("target", _("There is no person of this id."))
        if target and scope == Budget.Scope.AGENT:
            known = [agent.slug for agent in agents_list()]
            if target not in known:
                text = _("There is no agent of this id. There are: %(ids)s.")
                self.add_error("target", text % {"ids": ", ".join(known)})

    def _check_limits(self, data: dict[str, Any]) -> None:
        if data.get("limit_usd") is None and data.get("limit_tokens") is None:
            self.add_error("limit_usd", _("State a limit in dollars, in tokens, or both."))
        for name in ("limit_usd", "limit_tokens"):
            if (data.get(name) or 0) < 0:
                self.add_error(name, _("A limit is not negative."))


@admin.register(Budget)
class BudgetAdmin(OperatorAdmin):
    """What agents, people and runs may spend."""

    form = BudgetForm
    list_display = ("whose", "per", "dollars", "tokens", "standing", "windows_link", "enabled")
    list_display_links = ("whose",)
    list_filter = ("scope", "period", "enabled")
    search_fields = ("target", "note")
    actions = ("reset",)
    fieldsets = (
        (None, {"fields": (("scope", "target"), "period", "enabled")}),
        (gettext_lazy("Limit"), {"fields": (("limit_usd", "limit_tokens"), "note")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the name of whoever a row is for, and with its current windows."""
        now = timezone.now()
        starts = {window_start(period, now) for period in ("day", "month")}
        windows = BudgetWindow.objects.filter(starts_at__in=starts)
        rows: QuerySet[Any] = super().get_queryset(request)
        rows = rows.annotate(person_name=_person_name())
        return rows.prefetch_related(Prefetch("windows", windows, to_attr="recent"))

    @admin.action(description=gettext_lazy("Begin the current window anew"))
    def reset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Nothing counts as spent any more; what runs now stays held."""
        windows = [window for row in queryset for window in _current(row)]
        for window in windows:
            budget_window_reset(window=window)
        text = ngettext("%(n)d window begins anew.", "%(n)d windows begin anew.", len(windows))
        messages.success(request, text % {"n": len(windows)})

    @column(gettext_lazy("applies to"), order="scope")
    def whose(self, budget: Budget) -> str:
        """Whose limit it is."""
        name = getattr(budget, "person_name", None) or budget.target
        return budget_label(budget.scope, budget.target, {budget.target: name})

    @column(gettext_lazy("per"), order="period")
    def per(self, budget: Budget) -> str:
        """Run, day or month."""
        return budget.get_period_display()

    @column(gettext_lazy("limit (USD)"), order="limit_usd")
    def dollars(self, budget: Budget) -> str:
        """In dollars."""
        return UNKNOWN if budget.limit_usd is None else usd_text(budget.limit_usd)

    @column(gettext_lazy("limit (tokens)"), order="limit_tokens")
    def tokens(self, budget: Budget) -> str:
        """In tokens."""
        return count(budget.limit_tokens)

    @column(gettext_lazy("used"), label=_SHARE)
    def standing(self, budget: Budget) -> tuple[str, str]:
        """The current window that is nearest to its limit."""
        if budget.period == Budget.Period.RUN:
            return "", UNKNOWN
        shares = [_share(budget, window) for window in _current(budget)]
        return _standing(max(shares, default=0.0))

    @column(gettext_lazy("windows"))
    def windows_link(self, budget: Budget) -> Shown:
        """To what was counted."""
        return list_link("budgetwindow", _("windows"), budget__id__exact=str(budget.pk))


@admin.register(BudgetWindow)
class BudgetWindowAdmin(RecordAdmin):
    """What was counted for each budget, day by day and run by run."""

    list_display = ("whose", "since", "dollars", "tokens", "held", "standing")
    list_display_links = ("whose",)
    list_filter = ("budget__scope", "budget__period")
    list_select_related = ("budget",)
    search_fields = ("target", "budget__target")
    ordering = ("-starts_at", "-id")
    form_select_related = ("budget",)
    fields = (
        ("budget", "target"), "starts_at", ("spent_usd", "spent_tokens"),
        ("held_usd", "held_tokens"),
    )  # fmt: skip
    actions = ("reset",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the name of whoever a row is for."""
        rows: QuerySet[Any] = super().get_queryset(request)
        named: QuerySet[Any] = rows.annotate(person_name=_person_name())
        return named

    @admin.action(description=gettext_lazy("Begin anew"))
    def reset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Nothing counts as spent any more; what runs now stays held."""
        self.each(
            request,
            queryset,
            lambda window: budget_window_reset(window=window),
            lambda n: (
                ngettext("%(n)d window begins anew.", "%(n)d windows begin anew.", n) % {"n": n}
            ),
        )

    @column(gettext_lazy("whose"), order="target")
    def whose(self, window: BudgetWindow) -> str:
        """The agent, the person or the run."""
        if window.budget.period == Budget.Period.RUN:
            return _("Run %(id)s") % {"id": f"…{window.target[-8:]}"}
        name = getattr(window, "person_name", None) or window.target
        return budget_label(window.budget.scope, window.target, {window.target: name})

    @column(gettext_lazy("from"), order="starts_at")
    def since(self, window: BudgetWindow) -> str:
        """The day or the month."""
        if window.budget.period == Budget.Period.RUN:
            return UNKNOWN
        return f"{window.starts_at:%Y-%m-%d}"

    @column(gettext_lazy("spent (USD)"), order="spent_usd")
    def dollars(self, window: BudgetWindow) -> str:
        """In dollars, with the limit."""
        limit = window.budget.limit_usd
        spent = usd_text(window.spent_usd)
        return spent if limit is None else f"{spent} / {usd_text(limit)}"

    @column(gettext_lazy("spent (tokens)"), order="spent_tokens")
    def tokens(self, window: BudgetWindow) -> str:
        """In tokens, with the limit."""
        limit = window.budget.limit_tokens
        spent = count(window.spent_tokens)
        return spent if limit is None else f"{spent} / {count(limit)}"

    @column(gettext_lazy("held"), order="held_tokens")
    def held(self, window: BudgetWindow) -> str:
        """For calls that run now."""
        return count(window.held_tokens) if window.held_tokens else UNKNOWN

    @column(gettext_lazy("used"), label=_SHARE)
    def standing(self, window: BudgetWindow) -> tuple[str, str]:
        """Which part of the limit."""
        return _standing(_share(window.budget, window))


@admin.register(BudgetHold)
class BudgetHoldAdmin(RecordAdmin):
    """What model calls that run now may cost at most."""

    list_display = ("of_run", "number", "dollars", "tokens", "since")
    list_select_related = ("window",)
    search_fields = ("=run_id",)
    form_select_related = ("window",)
    fields = ("window", ("run_id", "number"), ("usd", "tokens"), "created_at")

    @column(gettext_lazy("run"), order="run_id")
    def of_run(self, hold: BudgetHold) -> Shown:
        """To the run's timeline."""
        return run_link(hold.run_id)

    @column(gettext_lazy("USD"), order="usd")
    def dollars(self, hold: BudgetHold) -> str:
        """In dollars."""
        return usd_text(hold.usd, up=True)

    @column(gettext_lazy("since"), order="created_at")
    def since(self, hold: BudgetHold) -> Shown:
        """How long ago."""
        return ago(hold.created_at)


def _person_name() -> Subquery:
    return Subquery(Person.objects.filter(pk=OuterRef("target")).values("name")[:1])


def _current(budget: Budget) -> list[BudgetWindow]:
    start = window_start(budget.period, timezone.now())
    recent: list[BudgetWindow] = getattr(budget, "recent", [])
    return [window for window in recent if window.starts_at == start]


def _share(budget: Budget, window: BudgetWindow) -> float:
    return window_share(limit_usd=budget.limit_usd, limit_tokens=budget.limit_tokens, window=window)


def _standing(share: float) -> tuple[str, str]:
    value = "over" if share >= 1 else "near" if share >= WARNING_SHARE else "enough"
    return value, f"{share * 100:.0f} %"
