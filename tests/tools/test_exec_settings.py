"""`tools.exec` of the configuration acts on commands."""

from __future__ import annotations

import json

import pytest

from agents.config.issues import ConfigInvalid
from agents.config.services import config_apply
from agents.core.tools import ToolContext
from tools.builtin.exec.request import request_read
from tools.builtin.exec.settings import ExecSettings
from tools.exec_settings import exec_settings_read


@pytest.mark.django_db
def test_it_works(context: ToolContext) -> None:
    assert exec_settings_read() == ExecSettings()
    stated = {"timeoutSec": 7, "backgroundMs": 250, "cleanupMs": 60_000}
    config_apply(text=json.dumps({"tools": {"exec": stated}}))
    settings = exec_settings_read()
    assert settings.kept_seconds == 60
    request = request_read({"command": "true"}, context, settings)
    assert (request.command.seconds, request.seconds) == (7, 0.25)
    request = request_read({"command": "true", "timeout": 0, "yieldMs": 500}, context, settings)
    assert (request.command.seconds, request.seconds) == (0, 0.5)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "stated", [{"timeoutSec": -1}, {"backgroundMs": 9}, {"cleanupMs": 1}, {"applyPatch": {"x": 1}}]
)
def test_values_out_of_range_are_refused(stated: dict[str, object]) -> None:
    with pytest.raises(ConfigInvalid, match=rf"tools\.exec\.{next(iter(stated))}"):
        config_apply(text=json.dumps({"tools": {"exec": stated}}))
    assert exec_settings_read() == ExecSettings()


@pytest.mark.django_db
def test_an_agents_own_hold_over_those_of_all() -> None:
    stated = {"notifyOnExit": False, "pathPrepend": ["/a"], "timeoutSec": 7}
    own = {"notifyOnExit": True, "notifyOnExitEmptySuccess": True}
    agents = {"list": [{"id": "main", "tools": {"exec": own}}, {"id": "other"}]}
    config_apply(text=json.dumps({"tools": {"exec": stated}, "agents": agents}))
    main, other = exec_settings_read("main"), exec_settings_read("other")
    assert (main.notify_on_exit, main.notify_on_success) == (True, True)
    assert (other.notify_on_exit, other.notify_on_success) == (False, False)
    assert (main.path_prepend, main.timeout_seconds) == (("/a",), 7)
