"""The addresses of the REST API. All of them end in a slash."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from channels_app.rest.agents import AgentsView, AgentView
from channels_app.rest.approvals import ApprovalDecideView, ApprovalsView, ApprovalView
from channels_app.rest.me import MeView
from channels_app.rest.messages import MessagesView
from channels_app.rest.runs import RunStopView, RunsView, RunView
from channels_app.rest.sessions import SessionsView, SessionView
from channels_app.rest.tokens import TokensView, TokenView
from channels_app.rest.unknown import UnknownView
from channels_app.rest.view import ApiView

schema = SpectacularAPIView.as_view(
    authentication_classes=ApiView.authentication_classes,
    permission_classes=ApiView.permission_classes,
)

urlpatterns = [
    path("agents/", AgentsView.as_view(), name="api_agents"),
    path("agents/<str:slug>/", AgentView.as_view(), name="api_agent"),
    # Keys may hold slashes, so the longer address comes first.
    path("sessions/", SessionsView.as_view(), name="api_sessions"),
    path("sessions/<path:key>/messages/", MessagesView.as_view(), name="api_messages"),
    path("sessions/<path:key>/", SessionView.as_view(), name="api_session"),
    path("runs/", RunsView.as_view(), name="api_runs"),
    path("runs/<str:run_id>/", RunView.as_view(), name="api_run"),
    path("runs/<str:run_id>/stop/", RunStopView.as_view(), name="api_run_stop"),
    path("approvals/", ApprovalsView.as_view(), name="api_approvals"),
    path("approvals/<str:ref>/", ApprovalView.as_view(), name="api_approval"),
    path("approvals/<str:ref>/decide/", ApprovalDecideView.as_view(), name="api_approval_decide"),
    path("me/", MeView.as_view(), name="api_me"),
    path("tokens/", TokensView.as_view(), name="api_tokens"),
    path("tokens/<str:token_id>/", TokenView.as_view(), name="api_token"),
    path("schema/", schema, name="api_schema"),
    path("", UnknownView.as_view(), name="api_root"),
    path("<path:rest>", UnknownView.as_view(), name="api_unknown"),
]
