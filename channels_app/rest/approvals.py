"""Approvals: `/api/approvals/`. What waits for a decision, and the decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.core.principal import APPROVALS
from channels_app.rest.fields import Input, Output
from channels_app.rest.paging import PageQuery, page_of, page_response
from channels_app.rest.view import ApiView, answers
from sessions.approvals.selectors import approval_find, approvals_ended, approvals_pending
from sessions.approvals.services import DECISIONS, approval_resolve
from sessions.approvals.shapes import approval_json
from sessions.models import Approval

SCOPES = {"GET": APPROVALS, "POST": APPROVALS}


class ApprovalOut(Output):
    """One question. `decision` is null while nobody has decided, and when nobody did in time."""

    id = serializers.CharField()
    slug = serializers.CharField()
    kind = serializers.CharField()
    tool = serializers.CharField()
    arguments = serializers.DictField()
    reason = serializers.CharField()
    state = serializers.ChoiceField(choices=Approval.State.choices)
    decision = serializers.CharField(allow_null=True)
    decisions = serializers.ListField(child=serializers.CharField())
    request = serializers.DictField()
    agent_id = serializers.CharField(source="agentId")
    session_key = serializers.CharField(source="sessionKey", allow_null=True)
    run_id = serializers.CharField(source="runId", allow_null=True)
    asked_by = serializers.CharField(source="askedBy")
    created_at_ms = serializers.IntegerField(source="createdAtMs")
    expires_at_ms = serializers.IntegerField(source="expiresAtMs")
    resolved_by = serializers.CharField(source="resolvedBy", allow_null=True)
    resolved_through = serializers.CharField(source="resolvedThrough", allow_null=True)
    resolved_at_ms = serializers.IntegerField(source="resolvedAtMs", allow_null=True)


class ApprovalsQuery(PageQuery):
    """Which questions: those of one `session`, or those that have `ended`."""

    session = serializers.CharField(required=False, default="", max_length=512)
    ended = serializers.BooleanField(default=False)


class DecisionIn(Input):
    """The answer."""

    decision = serializers.ChoiceField(choices=[str(one) for one in DECISIONS])


class ApprovalsView(ApiView):
    """All questions that the caller may see."""

    scopes = SCOPES

    @extend_schema(
        operation_id="approvals_list",
        parameters=[ApprovalsQuery],
        responses=answers(page_of(ApprovalOut)),
    )
    def get(self, request: Request) -> Response:
        """What waits, the oldest first; with `ended` what was answered, the newest first."""
        query = self.query(ApprovalsQuery)
        session = query["session"]

        def fetch(*, limit: int, offset: int) -> Sequence[dict[str, Any]]:
            if query["ended"]:
                found = approvals_ended(principal=self.principal, limit=offset + limit)
            else:
                found = approvals_pending(principal=self.principal, session_key=session)
            return [approval_json(one) for one in found[offset : offset + limit]]

        return page_response(request, query, fetch, ApprovalOut)


class ApprovalView(ApiView):
    """One question, by its id, its code, or the beginning of one."""

    scopes = SCOPES

    @extend_schema(operation_id="approvals_retrieve", responses=answers(ApprovalOut))
    def get(self, request: Request, ref: str) -> Response:
        """How it stands."""
        found = approval_find(ref=ref, principal=self.principal)
        return Response(ApprovalOut(approval_json(found)).data)


class ApprovalDecideView(ApiView):
    """Answering one question."""

    scopes = SCOPES

    @extend_schema(request=DecisionIn, responses=answers(ApprovalOut))
    def post(self, request: Request, ref: str) -> Response:
        """Decides. 409 when it is too late: decided, over, or its turn was stopped."""
        decision = self.body(DecisionIn)["decision"]
        decided = approval_resolve(
            ref=ref, decision=decision, principal=self.principal, through="rest"
        )
        return Response(ApprovalOut(approval_json(decided)).data)
