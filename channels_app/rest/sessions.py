"""Sessions: `/api/sessions/`. An owner sees all, everybody else their own."""

from __future__ import annotations

from functools import partial

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from channels_app.rest.choices import (
    QUEUE_MODES,
    REASONING_LEVELS,
    THINKING_LEVELS,
    TRACE_LEVELS,
    VERBOSE_LEVELS,
)
from channels_app.rest.fields import Input, Output
from channels_app.rest.paging import PageQuery, page_of, page_response
from channels_app.rest.view import ApiView, answers
from sessions.selectors import session_visible, sessions_list
from sessions.services import session_create, session_delete, session_patch


class PersonOut(Output):
    """A person by name."""

    id = serializers.CharField()
    name = serializers.CharField()


class SessionOut(Output):
    """A conversation. `sessionId` is its current transcript; `cost` is in US dollars. An empty
    level is the agent's; `credential` is the pinned one."""

    key = serializers.CharField()
    session_id = serializers.CharField(source="current_id", allow_null=True)
    agent = serializers.CharField(source="agent_slug")
    owner = PersonOut()
    label = serializers.CharField()  # type: ignore[assignment]
    title = serializers.CharField()
    preview = serializers.CharField()
    model = serializers.CharField()
    thinking_level = serializers.CharField(source="thinking")
    verbose_level = serializers.CharField(source="verbose")
    reasoning_level = serializers.CharField(source="reasoning")
    trace_level = serializers.CharField(source="trace")
    credential = serializers.CharField(source="pinned_profile")
    queue_mode = serializers.CharField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    context_tokens = serializers.IntegerField()
    cost = serializers.FloatField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    last_interaction_at = serializers.DateTimeField(allow_null=True)
    archived_at = serializers.DateTimeField(allow_null=True)


class SessionsQuery(PageQuery):
    """Which sessions. `search` looks at name, title, key and last message."""

    agent = serializers.CharField(source="agent_id", required=False, max_length=64)
    search = serializers.CharField(required=False, max_length=200)
    include_archived = serializers.BooleanField(required=False)


class SessionCreateIn(Input):
    """A new session. Without `key` it gets a fresh one; an existing own key is opened."""

    key = serializers.CharField(required=False, max_length=512)
    agent = serializers.CharField(source="agent_id", required=False, max_length=64)
    label = serializers.CharField(  # type: ignore[assignment]
        required=False, max_length=64, allow_blank=True
    )
    model = serializers.CharField(required=False, max_length=200, allow_blank=True)


class SessionPatchIn(Input):
    """What is to be changed; the rest stays. Null goes back to the default."""

    label = serializers.CharField(  # type: ignore[assignment]
        required=False, allow_null=True, allow_blank=True, max_length=64
    )
    model = serializers.CharField(required=False, allow_null=True, allow_blank=True, max_length=200)
    thinking_level = serializers.ChoiceField(
        choices=THINKING_LEVELS, required=False, allow_null=True, source="thinkingLevel"
    )
    verbose_level = serializers.ChoiceField(
        choices=VERBOSE_LEVELS, required=False, allow_null=True, source="verboseLevel"
    )
    reasoning_level = serializers.ChoiceField(
        choices=REASONING_LEVELS, required=False, allow_null=True, source="reasoningLevel"
    )
    trace_level = serializers.ChoiceField(
        choices=TRACE_LEVELS, required=False, allow_null=True, source="traceLevel"
    )
    queue_mode = serializers.ChoiceField(
        choices=QUEUE_MODES, required=False, allow_null=True, source="queueMode"
    )
    archived = serializers.BooleanField(required=False)


class SessionsView(ApiView):
    """All sessions that the caller may see."""

    @extend_schema(
        operation_id="sessions_list",
        parameters=[SessionsQuery],
        responses=answers(page_of(SessionOut)),
    )
    def get(self, request: Request) -> Response:
        """Sessions, the last changed first."""
        query = self.query(SessionsQuery)
        chosen = {name: value for name, value in query.items() if name not in ("limit", "offset")}
        fetch = partial(sessions_list, principal=self.principal, **chosen)
        return page_response(request, query, fetch, SessionOut)

    @extend_schema(request=SessionCreateIn, responses=answers(SessionOut, status=201))
    def post(self, request: Request) -> Response:
        """Opens a session."""
        session = session_create(principal=self.principal, **self.body(SessionCreateIn))
        return Response(SessionOut(session).data, status=status.HTTP_201_CREATED)


class SessionView(ApiView):
    """One session."""

    @extend_schema(operation_id="sessions_retrieve", responses=answers(SessionOut))
    def get(self, request: Request, key: str) -> Response:
        """The session under this key."""
        return Response(SessionOut(session_visible(principal=self.principal, key=key)).data)

    @extend_schema(request=SessionPatchIn, responses=answers(SessionOut))
    def patch(self, request: Request, key: str) -> Response:
        """Renames the session or changes its settings."""
        changes = self.body(SessionPatchIn)
        session = session_patch(principal=self.principal, key=key, changes=changes)
        return Response(SessionOut(session).data)

    @extend_schema(responses=answers(None, status=204))
    def delete(self, request: Request, key: str) -> Response:
        """Deletes the session with its transcripts and runs; never a main session."""
        session_delete(principal=self.principal, key=key)
        return Response(status=status.HTTP_204_NO_CONTENT)
