"""Runs: `/api/runs/`. What agents did, call by call, and stopping them."""

from __future__ import annotations

from functools import partial

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from channels_app.pages.door import zone_of
from channels_app.rest.choices import RUN_FILTERS, RUN_HAPPENINGS
from channels_app.rest.fields import Input
from channels_app.rest.paging import PageQuery, page_of, page_response
from channels_app.rest.run_facts import run_facts, runs_facts
from channels_app.rest.run_shapes import RunDetailOut, RunOut, StoppedOut
from channels_app.rest.view import ApiView, answers
from sessions.stops import run_stop


class RunsQuery(PageQuery):
    """Which runs. `day` is a day in the caller's own time zone.

    `had` is failover (another credential or model was asked) or compaction.
    """

    agent = serializers.CharField(required=False, max_length=64)
    session = serializers.CharField(required=False, max_length=512)
    state = serializers.ChoiceField(choices=RUN_FILTERS, required=False)
    day = serializers.DateField(required=False)
    had = serializers.ChoiceField(choices=RUN_HAPPENINGS, required=False)


class StopIn(Input):
    """Nothing needs to be said."""


class RunsView(ApiView):
    """All runs that the caller may see."""

    @extend_schema(
        operation_id="runs_list", parameters=[RunsQuery], responses=answers(page_of(RunOut))
    )
    def get(self, request: Request) -> Response:
        """Runs, the newest first."""
        query = self.query(RunsQuery)
        chosen = {name: value for name, value in query.items() if name not in ("limit", "offset")}
        fetch = partial(runs_facts, principal=self.principal, **chosen)
        with timezone.override(zone_of(self.caller.person)):
            return page_response(request, query, fetch, RunOut)


class RunView(ApiView):
    """One run, by its own id or by the id that the client gave the message."""

    @extend_schema(operation_id="runs_retrieve", responses=answers(RunDetailOut))
    def get(self, request: Request, run_id: str) -> Response:
        """How it stands, with its model calls and tool calls; also while the message waits."""
        return Response(RunDetailOut(run_facts(principal=self.principal, run_id=run_id)).data)


class RunStopView(ApiView):
    """Ending one run."""

    @extend_schema(request=StopIn, responses=answers(StoppedOut))
    def post(self, request: Request, run_id: str) -> Response:
        """Stops the run, or ends the message that waits; `stopped` names what was reached."""
        self.body(StopIn)
        run = run_facts(principal=self.principal, run_id=run_id)
        stopped = run_stop(
            principal=self.principal, session_key=run.session_key, run_id=run_id, kind="rpc"
        )
        return Response(StoppedOut({"stopped": stopped}).data)
