"""The words that the chat page's script says, in the reader's language."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from channels_app.pages.approval_cards import approval_words
from channels_app.pages.transcript import divider_words


def chat_words() -> dict[str, Any]:
    """All of them, by name."""
    return {
        "you": _("You"),
        "agent": _("Agent"),
        "answering": _("The agent is answering"),
        "complete": _("The answer is complete"),
        "stopped": _("Stopped"),
        "failed": _("The run failed"),
        "connecting": _("Connecting"),
        "lost": _("The connection is lost; trying again. Nothing you send is lost."),
        "offline": _("No connection. It is tried again by itself."),
        "signed_out": _("You are signed out. Sign in again to go on."),
        "sending": _("Sending"),
        "not_sent": _("Not sent"),
        "resend": _("Send again"),
        "discard": _("Discard"),
        "waiting": _("Waiting"),
        "next": _("next"),
        "running": _("running"),
        "asked": _("waits for a decision"),
        "done": _("done"),
        "error": _("failed"),
        "thinking": _("Thinking"),
        "thought": _("Thought"),
        "copy": _("Copy"),
        "edit": _("Edit"),
        "regenerate": _("Answer again"),
        "remove": _("Remove"),
        "open_run": _("Open the run"),
        "tokens": _("tokens"),
        "too_large": _("{name} is too large: files may have 20 MiB, images 6 MiB."),
        "upload_failed": _("{name} could not be stored: {reason}"),
        "editing": _("Your message and everything after it is replaced by what you send."),
        "think": _("think: {level}"),
        "compacting": _("Summarising the earlier conversation"),
        "context": _("context {used} of {window}"),
        "divider": divider_words(),
        **approval_words(),
        "arguments": _("Arguments"),
        "result": _("Result"),
    }
