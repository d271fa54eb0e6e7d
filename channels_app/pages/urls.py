"""The addresses of the pages."""

from __future__ import annotations

from django.urls import path

from channels_app.pages import (
    approvals,
    attachments,
    chat,
    chat_actions,
    credentials,
    palette,
    panel,
    policy,
    profile,
    runs,
    signin,
    styleguide,
)

urlpatterns = [
    path("", panel.panel, name="panel"),
    path("panel/live/", panel.panel_live, name="panel_live"),
    path("panel/agents/", panel.agent_add, name="agent_add"),
    path("panel/switch/", panel.switch, name="switch"),
    path("palette/", palette.palette, name="palette"),
    path("signin/", signin.SignInView.as_view(), name="sign_in"),
    path("signin/<str:token>/", signin.sign_in_link, name="sign_in_link"),
    path("signout/", signin.SignOutView.as_view(), name="sign_out"),
    path("profile/", profile.profile, name="profile"),
    path("profile/password/", profile.profile_password, name="profile_password"),
    path("profile/theme/", profile.theme_save, name="theme_save"),
    path("chat/", chat.chat, name="chat"),
    path("chat/new/", chat_actions.session_new, name="chat_new"),
    path("chat/sessions/", chat.session_rows, name="chat_sessions"),
    path("chat/rename/", chat_actions.session_rename, name="chat_rename"),
    path("chat/delete/", chat_actions.session_remove, name="chat_delete"),
    path("chat/settings/", chat_actions.session_settings, name="chat_settings"),
    path("chat/send/", chat_actions.message_send, name="chat_send"),
    path("chat/attachments/", attachments.attachment_add, name="attachment_add"),
    path("chat/attachments/<str:artifact_id>/", attachments.attachment_get, name="attachment"),
    path("chat/<path:key>/", chat.chat_session, name="chat_session"),
    path("credentials/", credentials.credentials, name="credentials"),
    path("credentials/retry/", credentials.credential_retry, name="credential_retry"),
    path("credentials/switch/", credentials.credential_switch, name="credential_switch"),
    path("approvals/", approvals.approvals, name="approvals"),
    path("approvals/live/", approvals.approvals_live, name="approvals_live"),
    path("approvals/waiting/", approvals.waiting, name="approvals_waiting"),
    path("approvals/cards/", approvals.session_cards, name="approval_cards"),
    path("approvals/<str:ref>/card/", approvals.approval_one, name="approval_card"),
    path("approvals/<str:ref>/decide/", approvals.approval_decide, name="approval_decide"),
    path("policy/", policy.policy, name="policy"),
    path("runs/", runs.runs, name="runs"),
    path("runs/<str:run_id>/", runs.run, name="run"),
    path("runs/<str:run_id>/calls/<int:number>/", runs.run_request, name="run_request"),
    path("styleguide/", styleguide.styleguide, name="styleguide"),
]
