"""The methods that this app brings to the gateway, by name. Imported when first called."""

from __future__ import annotations

from channels_app.gateway.registry import METHODS

_HERE = "channels_app.gateway.methods"
_METHODS = {
    "health": "status:health",
    "status": "status:status",
    "system-presence": "status:system_presence",
    "agents.list": "catalog:list_agents",
    "models.list": "catalog:list_models",
    "sessions.list": "sessions:list_sessions",
    "sessions.create": "sessions:create",
    "sessions.patch": "sessions:patch",
    "sessions.reset": "sessions:reset",
    "sessions.compact": "sessions:compact",
    "sessions.delete": "sessions:delete",
    "sessions.describe": "sessions:describe",
    "sessions.search": "sessions:search",
    "sessions.subscribe": "subscriptions:subscribe",
    "sessions.unsubscribe": "subscriptions:unsubscribe",
    "sessions.messages.subscribe": "subscriptions:messages_subscribe",
    "sessions.messages.unsubscribe": "subscriptions:messages_unsubscribe",
    "chat.send": "chat:chat_send",
    "chat.abort": "chat:chat_abort",
    "chat.history": "history:chat_history",
    "exec.approval.list": "approvals:approval_list",
    "exec.approval.get": "approvals:approval_get",
    "exec.approval.resolve": "approvals:approval_decide",
    "exec.approval.request": "approvals:approval_ask",
    "exec.approval.waitDecision": "approvals:approval_wait",
    "agent": "agent:agent_run",
    "agent.wait": "agent:agent_wait",
}


def register() -> None:
    """Fills the registry; doing it twice changes nothing."""
    for name, target in _METHODS.items():
        METHODS.register(name, f"{_HERE}.{target}")
