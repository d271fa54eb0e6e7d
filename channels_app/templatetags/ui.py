"""Template tags of the pages: icons, times, numbers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.http import HttpRequest
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, json_script
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from channels_app.markdown import markdown_render, tricks_shown
from channels_app.pages import approval_cards, wording
from channels_app.pages.door import theme_of

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """One icon of the sprite; it says nothing to screen readers, a word must stand beside it."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>',
        static("icons/sprite.svg"),
        name,
    )


@register.simple_tag
def ago(moment: datetime | None) -> SafeString | str:
    """A relative time with the exact one in its title."""
    if moment is None:
        return wording.UNKNOWN
    local = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        f"{date_format(local, 'DATETIME_FORMAT')} {local:%Z}",
        wording.ago(moment),
    )


@register.simple_tag(takes_context=True)
def theme(context: dict[str, Any]) -> str:
    """light, dark, or nothing."""
    request: HttpRequest | None = context.get("request")
    return theme_of(request) if request is not None else ""


@register.simple_tag(takes_context=True)
def approvals_waiting(context: dict[str, Any]) -> int:
    """How many questions wait for a decision that the reader may know of."""
    principal = getattr(context.get("request"), "principal", None)
    return approval_cards.approvals_waiting(principal=principal) if principal is not None else 0


@register.simple_tag
def money(dollars: object, known: object = True) -> str:
    """An amount in US dollars, a dash when the price is not known."""
    amount = dollars if isinstance(dollars, int | float) else None
    return wording.money(amount, known=bool(known))


@register.filter
def duration(milliseconds: object) -> str:
    """A length of time; what is no number is unknown."""
    return wording.duration(milliseconds if isinstance(milliseconds, int | float) else None)


@register.filter
def count(number: object) -> str:
    """A whole number; anything else is unknown."""
    return wording.count(number if isinstance(number, int) else None)


@register.filter
def size(byte_count: int) -> str:
    """A file size."""
    return wording.size(byte_count)


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as sanitised HTML."""
    return SafeString(markdown_render(text))


@register.filter
def shown(text: str) -> str:
    """Plain text with reordering and hidden characters spelled out."""
    return tricks_shown(text)


@register.filter
def split_words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


@register.simple_tag
def frame_words() -> SafeString:
    """The words that the scripts of every page need."""
    return json_script({"copy": _("Copy"), "close": _("Close")}, "frame-words")
