"""What all lists and forms of the admin share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from django.contrib import messages
from django.contrib.admin import ShowFacets
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast, Left
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString

from agents.admin.wording import UNKNOWN
from agents.core.errors import OpenClawError

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin, TabularInline
    from django.utils.functional import _StrOrPromise

    AnyAdmin = ModelAdmin[Any]
    AnyInline = TabularInline[Any, Any]
else:
    from unfold.admin import ModelAdmin as AnyAdmin

F = TypeVar("F", bound=Callable[..., Any])
Shown = str | SafeString

# Characters of a long column that the database hands to a list; its first words are in them.
BEGINNING = 400
# What a state means, as the colour of its label. The word is always there as well.
GOOD, BAD, WAITS, RUNS = "success", "danger", "warning", "info"


class Standing(NamedTuple):
    """A state: the value that picks its colour in lists, and the words that are read."""

    value: str
    words: str

    def __str__(self) -> str:
        return self.words


def column(
    description: _StrOrPromise,
    *,
    order: str = "",
    label: Mapping[str, str] | None = None,
    boolean: bool = False,
) -> Callable[[F], F]:
    """Makes a method a column: its heading, the field it is sorted by, the colours of its words.

    With `label` the method returns (value, words); `label` maps values to colours.
    """

    def mark(method: Any) -> Any:
        if label is not None:
            method = _with_standing(method)
        method.short_description = description
        if order:
            method.admin_order_field = order
        if label is not None:
            method.label = label
        if boolean:
            method.boolean = True
        return method

    return mark


def _with_standing(method: Callable[[Any, Any], tuple[str, str]]) -> Any:
    @wraps(method)
    def answer(admin: Any, row: Any) -> Standing:
        return Standing(*method(admin, row))

    return answer


def detail_button(description: _StrOrPromise) -> Callable[[F], F]:
    """Makes a method a link at the top of one row's page. It must not change anything: a link
    can be followed from anywhere.
    """

    def mark(method: Any) -> Any:
        from unfold.enums import ActionVariant

        method.short_description = description
        method.attrs, method.variant = {}, ActionVariant.DEFAULT
        return method

    return mark


class OperatorAdmin(AnyAdmin):
    """A list that people work with. Who passed the site's door may do all that a subclass lets.

    A service that refuses is a sentence on the page, never a server error.
    """

    list_per_page = 50
    empty_value_display = UNKNOWN
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    list_filter_sheet = False
    # Columns that only the page of one row needs; lists do not read them.
    list_defer: ClassVar[tuple[str, ...]] = ()
    # A long text or JSON column of which lists show the first words, as `row.beginning`.
    list_cut: ClassVar[str] = ""
    # Related rows that the page of one row shows.
    form_select_related: ClassVar[tuple[str, ...]] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """All rows, with what the page in question needs and no more."""
        rows = super().get_queryset(request)
        if not is_list(request):
            related = self.form_select_related
            return rows.select_related(*related) if related else rows
        if self.list_cut:
            rows = rows.annotate(beginning=Left(Cast(self.list_cut, TextField()), BEGINNING))
        return rows.defer(*self.list_defer) if self.list_defer else rows

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As the site decided."""
        return self.admin_site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As the site decided."""
        return self.admin_site.has_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """As the site decided."""
        return self.admin_site.has_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As the site decided."""
        return self.admin_site.has_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As the site decided."""
        return self.admin_site.has_permission(request)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """The form; what a service refuses at the last moment is told on it."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except OpenClawError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(request.get_full_path())

    def each(
        self,
        request: HttpRequest,
        rows: QuerySet[Any],
        act: Callable[[Any], object],
        done: Callable[[int], str],
    ) -> None:
        """Does `act` to each row for an action; tells how many, and what was refused."""
        number = 0
        for row in rows:
            try:
                act(row)
            except OpenClawError as error:
                messages.error(request, f"{row}: {error.message}")
            else:
                number += 1
        if number:
            messages.success(request, done(number))


class RecordAdmin(OperatorAdmin):
    """What was recorded: to be looked at, never to be changed by hand.

    Subclasses name `fields`; methods among them show what a plain column would not.
    """

    actions: Sequence[Any] | None = None
    show_add_link = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never: rows are written by services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: editing would break custody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: the ledger would have a hole."""
        return False


class PartlyFixedAdmin(OperatorAdmin):
    """Some columns may be edited by hand; rows come from and go by services only."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never: rows are made by services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: rows end, they do not vanish."""
        return False


def is_list(request: HttpRequest) -> bool:
    """Whether the request is for a list and not for one row."""
    match = request.resolver_match
    return match is not None and (match.url_name or "").endswith("_changelist")


def page_response(
    admin: OperatorAdmin, request: HttpRequest, template: str, context: dict[str, Any]
) -> HttpResponse:
    """A page of our own inside the admin's frame."""
    frame = {**admin.admin_site.each_context(request), "opts": admin.opts, **context}
    return TemplateResponse(request, template, frame)
