"""What a person can do about a turn that failed, where the error itself does not say it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from agents.core.errors import ProviderError

if TYPE_CHECKING:
    from sessions.turns.finish import Ending


def ending_advised(ending: Ending) -> Ending:
    """The end with advice in its error and in the answer that stands for it.

    The rows of model calls keep the service's words alone.
    """
    error, held = ending.error, ending.held
    advice = _advice(error.reason) if error else ""
    if error is None or not advice:
        return ending
    text = f"{error.message.rstrip('.')}. {advice}"
    told = ProviderError(
        text,
        reason=error.reason,
        http_status=error.http_status,
        retry_after=error.retry_after,
        observed_tokens=error.observed_tokens,
    )
    if held is not None and held.error_message:
        held = replace(held, error_message=text)
    return replace(ending, error=told, held=held)


def _advice(reason: str) -> str:
    if reason != "context_overflow":
        return ""
    return _(
        "The conversation is too long for this model, and it is kept as it is. Choose a model "
        "with a larger window (/model), summarise it (/compact), or begin another one (/new)."
    )
