"""Which agent answers, and in which session (gateway.md 4.3)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from agents.core.errors import OpenClawError
from agents.core.principal import Principal
from agents.selectors import agent_snapshot, agents_list, default_agent_slug
from channels_app.openai_api.errors import ApiError
from sessions.keys import agent_of, http_key, session_key_normalise
from sessions.options import model_chosen

MODEL_HEADER = "x-openclaw-model"
SESSION_HEADER = "x-openclaw-session-key"
AGENT_HEADERS = ("x-openclaw-agent-id", "x-openclaw-agent")
_RESERVED = ("cron:", "subagent:", "acp:")
_MODEL = re.compile(r"(?:openclaw[:/]|agent:)(?P<agent>[a-z0-9][a-z0-9_-]{0,63})", re.IGNORECASE)
_PLAIN_USER = re.compile(r"[^\s\x00-\x1f\x7f]{1,200}")


@dataclass(frozen=True, slots=True)
class Choice:
    """`remembers`: the session goes on from one request to the next."""

    session_key: str
    remembers: bool


def choice_make(
    *, headers: Mapping[str, str], model: str, user: str | None, principal: Principal
) -> Choice:
    """Raises ApiError 400 for a model, agent or key that cannot be used."""
    default = default_agent_slug()
    stated = next((headers[name] for name in AGENT_HEADERS if headers.get(name)), "")
    agent = (stated or agent_of_model(model, default="")).lower()
    if raw := headers.get(SESSION_HEADER):
        return Choice(_stated_key(raw, agent or default, is_chosen=bool(agent)), remembers=True)
    agent = agent or default
    _check_agent(agent)
    if not user:
        return Choice(http_key(agent), remembers=False)
    return Choice(http_key(agent, _user_name(user, principal)), remembers=True)


def agent_of_model(model: str, *, default: str) -> str:
    """The agent that a model name stands for, `default` for the plain names. Raises ApiError."""
    if model.lower() in ("openclaw", "openclaw/default", "openclaw:default"):
        return default
    match = _MODEL.fullmatch(model)
    if match is None:
        text = "Invalid `model`. Use `openclaw` or `openclaw/<agentId>`."
        raise ApiError(400, text, param="model")
    return match["agent"].lower()


def model_names() -> list[str]:
    """The models that this API offers: the default agent, and each agent by name."""
    agents = [agent.slug for agent in agents_list() if agent.enabled]
    return ["openclaw", "openclaw/default", *(f"openclaw/{slug}" for slug in agents)]


def model_check(stated: str, agent: str) -> None:
    """Raises ApiError 400 with the nearest name when the header names no model of the agent."""
    try:
        model_chosen(text=stated, agent=agent)
    except OpenClawError as error:
        raise ApiError(400, f"`{MODEL_HEADER}`: {error.message}") from None


def _stated_key(raw: str, agent: str, *, is_chosen: bool) -> str:
    try:
        key = session_key_normalise(raw, default_agent=agent)
    except OpenClawError as error:
        raise ApiError(400, f"`{SESSION_HEADER}`: {error.message}") from None
    if key.split(":", 2)[2].startswith(_RESERVED):
        text = f"`{SESSION_HEADER}` cannot use reserved internal session namespaces."
        raise ApiError(400, text)
    if is_chosen and agent_of(key) != agent:
        raise ApiError(400, f"`{SESSION_HEADER}` names another agent than the request: {agent}.")
    _check_agent(agent_of(key))
    return key


def _check_agent(agent: str) -> None:
    try:
        agent_snapshot(slug=agent)
    except OpenClawError as error:
        raise ApiError(400, error.message, param="model") from None


def _user_name(user: str, principal: Principal) -> str:
    if not _PLAIN_USER.fullmatch(user):
        user = f"sha256-{hashlib.sha256(user.encode()).hexdigest()[:32]}"
    # Callers choose the name, so two people may choose the same one.
    return user if principal.is_owner else f"{principal.id}:{user}"
