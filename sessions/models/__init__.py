"""The tables of conversations, turns and the people behind them."""

from __future__ import annotations

from sessions.models.approvals import Approval
from sessions.models.artifacts import Artifact
from sessions.models.budgets import Budget, BudgetHold, BudgetWindow
from sessions.models.context import Compaction
from sessions.models.custody import Delivery, InboundReceipt, InboxItem
from sessions.models.hooks import HookCall
from sessions.models.people import ChannelIdentity, Person, SigninLink
from sessions.models.runs import ModelCall, Prompt, Run, ToolCall
from sessions.models.subagents import SubagentRun
from sessions.models.switch import Switch
from sessions.models.system_events import SystemEvent
from sessions.models.transcript import Entry, Session, Transcript

__all__ = [
    "Approval",
    "Artifact",
    "Budget",
    "BudgetHold",
    "BudgetWindow",
    "ChannelIdentity",
    "Compaction",
    "Delivery",
    "Entry",
    "HookCall",
    "InboundReceipt",
    "InboxItem",
    "ModelCall",
    "Person",
    "Prompt",
    "Run",
    "Session",
    "SigninLink",
    "SubagentRun",
    "Switch",
    "SystemEvent",
    "ToolCall",
    "Transcript",
]
