"""Commands get no keys and no tokens, and a model cannot smuggle code in by a variable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from agents.core.tools import ToolContext
from tests.tools.conftest import Call
from tools.builtin.exec.environment import command_environment
from tools.builtin.exec.tool import EXEC

SECRETS = {
    "OPENAI_API_KEY": "sk-1",
    "ANTHROPIC_API_KEY": "sk-2",
    "OPENCLAW_GATEWAY_TOKEN": "token",
    "DJANGO_SECRET_KEY": "django",
    "DATABASE_URL": "postgres://user:pass@host/db",
    "REDIS_URL": "redis://:pass@host",
    "AWS_SECRET_ACCESS_KEY": "aws",
    "MY_PASSWORD": "pass",
    "LC_SECRET_TOKEN": "hidden",
    "HTTPS_PROXY": "http://user:pass@proxy",
    "UNRELATED": "also not named",
}


def variables(call: Call, **arguments: Any) -> dict[str, str]:
    shown = blocks_text(call(EXEC, command="env", **arguments).content)
    return dict(line.split("=", 1) for line in shown.split("\n"))


def test_it_works(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**SECRETS, "LC_TIME": "C", "TZ": "Asia/Tokyo"}.items():
        monkeypatch.setenv(name, value)
    seen = variables(call)
    assert not SECRETS.keys() & seen.keys()
    assert seen["LC_TIME"] == "C"
    assert seen["TZ"] == "Asia/Tokyo"
    assert seen["OPENCLAW_SHELL"] == "exec"
    assert {"PATH", "HOME"} <= seen.keys()


def test_an_empty_environment_still_has_a_path(call: Call) -> None:
    assert "/usr/bin" in command_environment({}, {}, {})["PATH"]


def test_variables_of_the_call_are_set(call: Call) -> None:
    assert variables(call, env={"COLOR": "blue", "EMPTY": ""})["COLOR"] == "blue"


@pytest.mark.parametrize(
    "name",
    [
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "ld_preload", "DYLD_INSERT_LIBRARIES", "BASH_ENV"),
        *("ENV", "IFS", "PATH", "HOME", "PYTHONPATH", "NODE_OPTIONS", "GIT_SSH_COMMAND"),
        *("GIT_CONFIG_COUNT", "HTTPS_PROXY", "https_proxy", "AWS_PROFILE", "OPENCLAW_SHELL"),
        *("DATABASE_URL", "DJANGO_SETTINGS_MODULE", "SHELL", "PROMPT_COMMAND", "BASH_FUNC_ls"),
    ],
)
def test_dangerous_variables_are_refused(call: Call, name: str) -> None:
    with pytest.raises(ToolError) as caught:
        call(EXEC, command="true", env={name: "x"})
    assert caught.value.message.startswith(f"env.{name}: ")


@pytest.mark.parametrize(
    "env", ["A=1", ["A"], {"": "x"}, {"A B": "x"}, {"A=B": "x"}, {"A": 1}, {"A": "a\0b"}]
)
def test_malformed_variables_are_named(call: Call, env: object) -> None:
    with pytest.raises(ToolError, match=r"^env"):
        call(EXEC, command="true", env=env)


def test_the_run_may_grant_a_key_but_not_hijack(
    call: Call, context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted = {"SERVICE_API_KEY": "granted", "LD_PRELOAD": "/tmp/evil.so"}
    environment = command_environment({}, replace(context, environment=granted).environment, {})
    assert environment["SERVICE_API_KEY"] == "granted"
    assert "LD_PRELOAD" not in environment


def test_variables_of_the_worker_that_hijack_are_not_inherited(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "evil.sh").write_text("echo evil")
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "evil.sh"))
    assert blocks_text(call(EXEC, command="echo good").content) == "good"
