"""Why a call failed: status, code and text of the service turned into one reason.

Pure functions over `classify_tables`. Nobody else matches error texts.
"""

from __future__ import annotations

from agents.core.errors import ProviderReason
from agents.providers import classify_tables as tables


def classify(*, status: int | None = None, code: str = "", message: str = "") -> ProviderReason:
    """The reason of a failure; "unclassified" when nothing is known.

    `code` is the service's error code or type, in any case. The status decides first (refined by
    the text where one status has several meanings), then the code, then the text.
    """
    code = code.upper()
    # Services name the code of a 402 after its status; its text may still be about pace.
    if code in tables.BILLING_CODES and not (status == 402 and message.strip()):
        return "billing"
    if status is not None:
        found = _status_reason(status, code, message)
        if found is not None:
            return found
    by_code = tables.CODE_REASONS.get(code)
    if by_code is not None:
        return by_code
    text = f"{code} {message}"
    return message_reason(text) or tables.FALLBACK_CODES.get(code, "unclassified")


def _status_reason(status: int, code: str, message: str) -> ProviderReason | None:
    """What the status says; None when it says nothing."""
    if tables.HTML_BODY.match(message) and (status in (408, 499) or status >= 500):
        return "timeout"
    if status == 402:
        return _payment_reason(message.lower()) if message.strip() else "billing"
    decided = tables.STATUS_REASONS.get(status)
    if decided is not None:
        return decided
    in_text = message_reason(f"{code} {message}")
    if status in tables.STATUS_DEFAULTS:
        default, refinements = tables.STATUS_DEFAULTS[status]
        return in_text if in_text in refinements else default
    if status in (400, 422):
        return in_text or ("format" if message.strip() else None)
    return "timeout" if status >= 500 else None


def _payment_reason(text: str) -> ProviderReason:
    """A 402 is about money unless its text is about pace."""
    if tables.REFRESHING_QUOTA.search(text):
        return "rate_limit"
    if tables.EXPLICIT_BILLING.search(text):
        return "billing"
    if tables.RATE_LIMIT.search(text) or tables.PACED.search(text):
        return "rate_limit"
    return "billing"


def message_reason(message: str) -> ProviderReason | None:
    """The reason that a text gives by itself; None when it gives none."""
    text = message.lower()
    for reason, pattern in tables.MESSAGE_ORDER_EARLY:
        if pattern.search(text):
            return reason
    if _is_overflow(text):
        return "context_overflow"
    if tables.BILLING_HARD.search(text):
        return _payment_reason(text)
    if tables.KEY_LIMIT.search(text):
        return "billing"
    if tables.PERIODIC_LIMIT.search(text):
        return "billing" if tables.BILLING.search(text) else "rate_limit"
    return _late_reason(text)


def _is_overflow(text: str) -> bool:
    if tables.NOT_CONTEXT_OVERFLOW.search(text):
        return False
    return tables.CONTEXT_OVERFLOW.search(text) is not None


def _late_reason(text: str) -> ProviderReason | None:
    if tables.RATE_LIMIT.search(text):
        return "rate_limit"
    if tables.OVERLOADED.search(text):
        return "overloaded"
    leading = tables.LEADING_STATUS.match(text)
    if leading is not None:
        return "overloaded" if leading.group(1) == "529" else "timeout"
    if len(text) <= tables.BILLING_MAX_CHARS and tables.BILLING.search(text):
        return "billing"
    for reason, pattern in tables.MESSAGE_ORDER_LATE:
        if pattern.search(text):
            return reason
    return None
