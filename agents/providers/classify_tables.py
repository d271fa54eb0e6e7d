"""What services say when they fail, as data.

Each pattern is searched in lower-cased text. The order of `MESSAGE_ORDER` is part of the meaning:
"model not found" inside a rate-limit text, say, must be seen first. The lists follow the
reference's failover tables (statuses, codes, wording in English and Chinese).
"""

from __future__ import annotations

import re

from agents.core.errors import ProviderReason


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.DOTALL)


# A status that decides alone, whatever the text says.
STATUS_REASONS: dict[int, ProviderReason] = {
    408: "timeout",
    413: "context_overflow",
    429: "rate_limit",
    500: "timeout",
    502: "timeout",
    504: "timeout",
    529: "overloaded",
}

# A status with a default, and the reasons that its text may name instead.
STATUS_DEFAULTS: dict[int, tuple[ProviderReason, frozenset[str]]] = {
    401: ("auth", frozenset({"auth_permanent", "billing"})),
    403: ("auth", frozenset({"auth_permanent", "billing"})),
    404: (
        "model_not_found",
        frozenset({"context_overflow", "session_expired", "billing", "auth", "auth_permanent"}),
    ),
    410: ("timeout", frozenset({"session_expired", "billing", "auth", "auth_permanent"})),
    499: ("timeout", frozenset({"overloaded"})),
    503: ("timeout", frozenset({"overloaded"})),
}

_RATE_CODES = (
    "RESOURCE_EXHAUSTED RATE_LIMIT RATE_LIMITED RATE_LIMIT_EXCEEDED RATE_LIMIT_ERROR "
    "TOO_MANY_REQUESTS THROTTLED THROTTLING THROTTLINGEXCEPTION THROTTLING_EXCEPTION"
)
_NETWORK_CODES = (
    "ETIMEDOUT ESOCKETTIMEDOUT ECONNRESET ECONNABORTED ECONNREFUSED ENETUNREACH EHOSTUNREACH "
    "EHOSTDOWN ENETRESET EPIPE EAI_AGAIN"
)
CODE_REASONS: dict[str, ProviderReason] = {
    **dict.fromkeys(_RATE_CODES.split(), "rate_limit"),
    **dict.fromkeys(_NETWORK_CODES.split(), "timeout"),
    "OVERLOADED": "overloaded",
    "OVERLOADED_ERROR": "overloaded",
    "BILLING_ERROR": "billing",
}

# Codes that stand above the status: waiting, which a 429 suggests, does not fill an account.
BILLING_CODES = frozenset({"INSUFFICIENT_QUOTA", "BILLING_HARD_LIMIT_REACHED", "BILLING_ERROR"})

# The reason of last resort for these codes, when the text says nothing better.
FALLBACK_CODES: dict[str, ProviderReason] = {
    "INVALID_REQUEST_ERROR": "format",
    "API_ERROR": "timeout",
    "SERVER_ERROR": "timeout",
    "TIMEOUT_ERROR": "timeout",
}

HTML_BODY = re.compile(r"\s*<(!doctype html|html|head|body)\b", re.IGNORECASE)

IMAGE_REFUSED = _any(
    r"image dimensions? exceed",
    r"image exceeds \d+ ?mb",
    r"image (is )?too large",
    r"max allowed size.*image",
    r"could not process image|unable to process (input )?image",
    r"(provided|input) image is (not valid|invalid)|invalid[_ ]image",
    r"unsupported image",
    r"failed to (load|process|decode) image",
)

SESSION_EXPIRED = _any(
    r"\b(session|conversation)\b.{0,60}(not found|does not exist|expired|invalid\b)",
    r"no conversation found",
    r"no such session",
)

MODEL_NOT_FOUND = _any(
    r"no endpoints found for",
    r"router not found",
    r"unknown model",
    r"model[_\- ]not[_\- ]found",
    r"\b404\b.*not found",
    r"not_found_error",
    r"model: \S+.*not found",
    r"models/\S+ is not found",
    r"\bmodel\b.*does not exist",
    r"\bmodel\b.*deprecated.*(upgrade|transition) to",
    r"is not a valid model id",
    r"model identifier is invalid",
    r"invalid model(?! reference)",
    r"model_deactivated",
)

CONTEXT_OVERFLOW = _any(
    r"request_too_large",
    r"request exceeds the maximum size",
    r"context[_ ]length[_ ]exceeded",
    r"maximum context length",
    r"prompt (is )?too long",
    r"exceeds? (the )?(model'?s? )?(maximum )?context (window|length|size|limit)",
    r"exceed(s|ed)? context limit",
    r"model token limit",
    r"(invalid_argument|input exceeds).*maximum number of tokens",
    r"request size exceeds.*context",
    r"context overflow:",
    r"(max_tokens|input length).*exceed.*context",
    r"\b413\b.*too large",
    r"context_window_exceeded",
    r"input token count.{0,40}exceeds",
    r"input (is )?too long for (this|the|requested) model",
    r"total tokens.{0,60}exceeds.{0,30}limit",
    r"exceeds (the )?available context size",
    r"上下文过长|上下文超出|上下文长度超|超出最大上下文|请压缩上下文",
)
NOT_CONTEXT_OVERFLOW = _any(r"\btpm\b", r"tokens per minute", r"reasoning is (required|mandatory)")

KEY_LIMIT = _any(r"key limit (exceeded|reached)", r"exceeded.{0,20}key limit")
PERIODIC_LIMIT = _any(r"\b(daily|weekly|monthly|hourly)\b[^.]{0,40}\b(limit|quota|cap)\b")

RATE_LIMIT = _any(
    r"rate[_ ]limit",
    r"too many (concurrent )?requests",
    r"\b429\b",
    r"throttl(ing|ed)",
    r"model_cooldown",
    r"exceeded your current quota",
    r"resource has been exhausted|resource_exhausted",
    r"quota (limit )?exceeded",
    r"usage limit",
    r"\btpm\b",
    r"tokens per (minute|day)",
    r"concurrency limit",
    r"请求过于频繁|调用频率|频率限制|配额不足|配额已用尽|额度不足|额度已用尽",
)

OVERLOADED = _any(
    r"overloaded",
    r"model (is )?(currently )?at capacity",
    r"service unavailable.*(overload|capacity|high demand)",
    r"high (demand|load)",
    r"modelnotreadyexception",
    r"服务过载|当前负载过高",
)

LEADING_STATUS = re.compile(r"\s*(?:http )?(499|500|502|503|504|521|522|523|524|529)\b")

BILLING_HARD = _any(r"\b402\b", r"payment required")
# Longer texts mention money by chance, so only a hard mark counts in them.
BILLING_MAX_CHARS = 512
BILLING = _any(
    r"insufficient (credits?|balance|funds|quota)",
    r"insufficient_(quota|credits?|balance|funds)",
    r"used all (of )?(your )?available credits",
    r"spend(ing)? limit",
    r"credit balance",
    r"plans? & billing",
    r"requires more credits",
    r"extra[- ]usage",
    r"billing.*(upgrade|credits|payment|purchase|subscription|plan)",
    r"余额不足|欠费",
    r"\b1311\b",
)

AUTH_PERMANENT = _any(
    r"api[_ ]?key.{0,30}(revoked|deactivated|deleted)",
    r"key has been (disabled|revoked)",
    r"account has been (deactivated|disabled)",
    r"not allowed for this organization",
)

AUTH = _any(
    r"(invalid|incorrect)[_ ](x-)?api[_\- ]?key",
    r"api key not valid|api_key_invalid",
    r"could not (authenticate|validate).*(key|credentials)",
    r"permission_error",
    r"(invalid|expired) token",
    r"authentication",
    r"re-authenticate",
    r"oauth token refresh failed",
    r"unauthorized",
    r"forbidden",
    r"access denied",
    r"insufficient permissions?",
    r"missing scopes?:",
    r"\bexpired\b",
    r"\b40[13]\b",
    r"no (credentials|api key) found",
    r"failed to (extract|parse|validate|decode).*token",
    r"\b1113\b",
    r"无权访问|认证失败|鉴权失败|密钥无效",
)

VAGUE_SERVER_ERROR = _any(r"an unknown error occurred", r"provider returned error")

SERVER_ERROR = _any(
    r"internal[_ ]server[_ ]error|internal_error|\bserver_error\b",
    r"error occurred while processing",
    r"service (is )?temporarily unavailable",
    r"bad gateway|gateway timeout",
    r"upstream (connect )?error",
    r"connection reset",
    r"\bhttp 5\d\d\b",
    r"内部错误|服务器错误|系统繁忙",
)

FORMAT = _any(
    r"string should match pattern",
    r"tool_use[._]id",
    r"invalid request format",
    r"tool call id (was|must)",
)

TIMEOUT = _any(
    r"time-?out|timed out",
    r"service unavailable",
    r"deadline exceeded",
    r"(connection|network) error|network request failed|fetch failed",
    r"socket hang up",
    r"\b(econn|enet|ehost)\w+|etimedout|\bepipe\b|enotfound|eai_again",
    r"without sending chunks",
    r"(stop|finish) reason:? ?\W?(abort|error|malformed_response|network_error)",
    r"operation was aborted",
    r"stream (was )?(closed|aborted)",
    r"\A\s*terminated\s*\Z|\A\s*request failed",
    r"und_err_",
    r"网络错误|网络异常|服务暂时不可用|服务繁忙|请求超时|连接超时|连接错误",
)

# Text of a 402 that is about pace rather than money.
REFRESHING_QUOTA = _any(r"quota (will )?(refresh|reset)", r"(refresh|reset)(es|s)? (in|at|on)\b")
EXPLICIT_BILLING = _any(
    r"insufficient (credits?|quota|balance)",
    r"insufficient_(credits?|quota|balance)",
    r"credit balance",
    r"plans? & billing",
    r"add more credits",
    r"top[- ]?up",
    r"billing hard limit",
    r"\bplan\b.*limit",
)
PACED = _any(
    r"(try again|retry|wait).*(limit|exceed|exhaust)",
    r"(limit|exceed|exhaust).*(try again|retry|wait)",
    r"\b(daily|weekly|monthly|hourly)\b.*\b(usage|spend|limit.*reset)",
    r"\b(organi[sz]ation|workspace)\b.*limit.*exceeded",
)

# After the checks that need more than a pattern, see `classify.message_reason`.
MESSAGE_ORDER_EARLY: tuple[tuple[ProviderReason, re.Pattern[str]], ...] = (
    ("format", IMAGE_REFUSED),
    ("session_expired", SESSION_EXPIRED),
    ("model_not_found", MODEL_NOT_FOUND),
)
MESSAGE_ORDER_LATE: tuple[tuple[ProviderReason, re.Pattern[str]], ...] = (
    ("auth_permanent", AUTH_PERMANENT),
    ("auth", AUTH),
    ("timeout", VAGUE_SERVER_ERROR),
    ("timeout", SERVER_ERROR),
    ("format", FORMAT),
    ("timeout", TIMEOUT),
)
