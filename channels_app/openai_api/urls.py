"""The addresses under /v1/."""

from __future__ import annotations

from django.urls import path

from channels_app.openai_api import views

urlpatterns = [
    path("models", views.models, name="openai-models"),
    path("models/<path:name>", views.model, name="openai-model"),
    path("chat/completions", views.chat_completions, name="openai-chat-completions"),
]
