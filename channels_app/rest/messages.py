"""What was said in a session, and saying something: `/api/sessions/<key>/messages/`."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agents.ids import new_id
from channels_app.rest.choices import QUEUE_MODES, THINKING_LEVELS
from channels_app.rest.fields import Input, Output
from channels_app.rest.view import ApiView, answers
from sessions.inbox import MAX_TEXT, message_accept
from sessions.options import session_showing
from sessions.selectors import history_entries, session_visible
from sessions.showing import reasoning_left_out


class EntryOut(Output):
    """One line of the transcript. `content` is the message itself in the transcript's form."""

    id = serializers.CharField(source="entry_id")
    seq = serializers.IntegerField()
    type = serializers.CharField()
    role = serializers.CharField()
    content = serializers.JSONField(source="body")
    run_id = serializers.CharField()
    created_at = serializers.DateTimeField()


class MessagesOut(Output):
    """Entries, oldest first. `before` asks for the ones before them, null at the beginning."""

    results = EntryOut(many=True)
    before = serializers.IntegerField(allow_null=True)


class MessagesQuery(Input):
    """Which part of the active branch: the newest `limit` entries before number `before`."""

    limit = serializers.IntegerField(min_value=1, max_value=500, default=100)
    before = serializers.IntegerField(min_value=1, required=False, default=None)


class MessageIn(Input):
    """A message. The same `idempotencyKey` again changes nothing; it is the run's id as well."""

    text = serializers.CharField(max_length=MAX_TEXT, trim_whitespace=False)
    idempotency_key = serializers.CharField(required=False, max_length=200)
    model = serializers.CharField(required=False, max_length=200)
    thinking_level = serializers.ChoiceField(choices=THINKING_LEVELS, required=False)
    timeout_ms = serializers.IntegerField(required=False, min_value=1, max_value=7 * 86_400_000)
    queue_mode = serializers.ChoiceField(choices=QUEUE_MODES, required=False)


class AcceptedOut(Output):
    """The message is stored. `reply` is set when it was a command that needed no agent."""

    run_id = serializers.CharField()
    session_key = serializers.CharField()
    status = serializers.ChoiceField(choices=["started", "in_flight", "ok", "error"])
    reply = serializers.CharField(allow_blank=True)


class MessagesView(ApiView):
    """The active branch of a session's current transcript."""

    @extend_schema(
        operation_id="messages_list", parameters=[MessagesQuery], responses=answers(MessagesOut)
    )
    def get(self, request: Request, key: str) -> Response:
        """What was said."""
        query = self.query(MessagesQuery)
        session = session_visible(principal=self.principal, key=key)
        limit = query["limit"]
        found = history_entries(session=session, limit=limit + 1, before_seq=query["before"])
        shown = found[-limit:]
        before = shown[0].seq if len(found) > limit else None
        if not session_showing(session=session).keeps_reasoning:
            for entry in shown:
                entry.body = reasoning_left_out(entry.body)
        return Response({"results": EntryOut(shown, many=True).data, "before": before})

    @extend_schema(
        operation_id="messages_send",
        request=MessageIn,
        responses=answers(AcceptedOut, status=202),
    )
    def post(self, request: Request, key: str) -> Response:
        """Sends a message to the session's agent; the answer is found under its run."""
        message = self.body(MessageIn)
        accepted = message_accept(
            principal=self.principal,
            session_key=key,
            text=message["text"],
            run_id=message.get("idempotency_key") or new_id(),
            source=f"api:{self.principal.id}",
            origin={"kind": "http"},
            options=_options(message),
            queue_mode=message.get("queue_mode", ""),
        )
        return Response(AcceptedOut(accepted).data, status=status.HTTP_202_ACCEPTED)


def _options(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": message.get("model"),
        "thinking": message.get("thinking_level"),
        "timeoutMs": message.get("timeout_ms"),
    }
