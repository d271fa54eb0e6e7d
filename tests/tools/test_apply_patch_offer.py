"""Which models see apply_patch, by the settings."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agents.config.services import config_apply
from agents.core.tools import ToolContext
from tools.builtin.exec.settings import ExecSettings
from tools.exec_settings import exec_settings_read
from tools.registry import register_builtin_tools, tools_for

register_builtin_tools()


def offered(context: ToolContext, model: str, settings: ExecSettings | None = None) -> bool:
    stated = {"exec": settings} if settings else {}
    turn = replace(context, model=model, settings=stated)
    return "apply_patch" in [tool.name for tool in tools_for(turn)]


def apply(stated: dict[str, Any]) -> None:
    config_apply(text=json.dumps({"tools": {"exec": {"applyPatch": stated}}}))


@pytest.mark.django_db
def test_it_works(context: ToolContext) -> None:
    assert offered(context, "openai/gpt-5")
    assert offered(context, "azure-openai/gpt-5")
    assert not offered(context, "anthropic/claude")
    assert not offered(context, "")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("stated", "models"),
    [
        (("anthropic/claude",), {"anthropic/claude"}),
        (("CLAUDE",), {"anthropic/claude"}),
        (("openai/*", "cl*"), {"anthropic/claude", "openai/gpt-5"}),
        (("gpt",), set()),
    ],
)
def test_models_are_chosen_by_name(
    context: ToolContext, stated: tuple[str, ...], models: set[str]
) -> None:
    settings = ExecSettings(patch_models=stated)
    every = {"anthropic/claude", "openai/gpt-5"}
    assert {model for model in every if offered(context, model, settings)} == models


@pytest.mark.django_db
def test_the_document_decides(context: ToolContext) -> None:
    apply({"enabled": False})
    assert not offered(context, "openai/gpt-5")
    apply({"allowModels": ["claude"], "workspaceOnly": False})
    assert offered(context, "anthropic/claude")
    assert exec_settings_read().patch_workspace_only is False
