"""Each variable of the lists is kept away from commands, and no planted secret reaches one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agents.core.errors import ToolError
from agents.core.messages import blocks_text
from tests.tools.conftest import Call
from tools.builtin.exec.environment import checked_variables, command_environment
from tools.builtin.exec.environment_names import (
    ALWAYS_REMOVED,
    REFUSED_IN_CALLS,
    always_removed,
    refused_in_calls,
)
from tools.builtin.exec.tool import EXEC

_REMOVED = """
    NODE_OPTIONS NODE_PATH PYTHONHOME PYTHONPATH PYTHONBREAKPOINT PERL5LIB PERL5OPT RUBYLIB RUBYOPT
    BASH_ENV ENV SHELL SHELLOPTS PS4 IFS BROWSER GIT_EDITOR GIT_EXTERNAL_DIFF GIT_DIR GIT_WORK_TREE
    GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_SSL_CAINFO GIT_SSL_NO_VERIFY CC CXX RUSTC_WRAPPER
    CMAKE_C_COMPILER CMAKE_CXX_COMPILER MAKEFLAGS MAVEN_OPTS GRADLE_OPTS ANT_OPTS SBT_OPTS
    JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS DOTNET_STARTUP_HOOKS GCONV_PATH GLIBC_TUNABLES
    SSLKEYLOGFILE HOSTALIASES VIMINIT EXINIT LUA_INIT LUA_INIT_5_4 EMACSLOADPATH SUDO_ASKPASS
    SVN_SSH R_PROFILE ERL_FLAGS LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_FUNC_ls BASH_FUNC_x
"""
_REFUSED = """
    HOME ZDOTDIR PATH GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS PAGER EDITOR VISUAL
    PROMPT_COMMAND HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY NODE_TLS_REJECT_UNAUTHORIZED
    NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE DOCKER_HOST
    DOCKER_CONFIG PIP_INDEX_URL UV_INDEX GOPROXY GOFLAGS CARGO_HOME VIRTUAL_ENV XDG_CONFIG_HOME
    XDG_CONFIG_DIRS AWS_ACCESS_KEY_ID AWS_PROFILE AZURE_CLIENT_SECRET GOOGLE_APPLICATION_CREDENTIALS
    KUBECONFIG GH_TOKEN GITHUB_TOKEN GITLAB_TOKEN NPM_TOKEN DATABASE_URL REDIS_URL MONGODB_URI
    AMQP_URL SSH_AUTH_SOCK GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 NPM_CONFIG_REGISTRY
    CARGO_REGISTRIES_X_INDEX TF_VAR_x OPENCLAW_HOME
"""
REMOVED, REFUSED = _REMOVED.split(), _REFUSED.split()
HARMLESS = ["TERM", "LANG", "LC_ALL", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "GOOD", "HOMEPAGE"]


def test_it_works() -> None:
    for name in REMOVED:
        assert always_removed(name), name
        assert always_removed(name.lower()), name
    for name in REFUSED:
        assert refused_in_calls(name), name
        assert not always_removed(name), name
    for name in HARMLESS:
        assert not refused_in_calls(name), name


@pytest.mark.parametrize("name", [*REMOVED, *REFUSED])
def test_a_call_must_not_set_it(name: str) -> None:
    with pytest.raises(ToolError, match=rf"^env\.{name}: may not be set"):
        checked_variables({name: "x"})


def test_nothing_brings_what_is_always_removed() -> None:
    given = dict.fromkeys(REMOVED, "evil")
    assert "evil" not in command_environment(given, given, {}).values()


def test_a_run_may_set_what_a_call_must_not() -> None:
    environment = command_environment({}, dict.fromkeys(REFUSED, "granted"), {})
    assert set(REFUSED) <= environment.keys()


def test_the_lists_are_upper_case_and_without_repeats() -> None:
    names = [*ALWAYS_REMOVED, *REFUSED_IN_CALLS]
    assert len(names) == len(set(names))
    assert [name for name in names if name != name.upper()] == []


def test_no_planted_secret_reaches_a_command(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    places = [*REFUSED, "OPENAI_API_KEY", "OPENCLAW_GATEWAY_TOKEN", "SECRET_KEY", "LC_MY_TOKEN"]
    for name in places:
        if name not in ("HOME", "PATH"):
            monkeypatch.setenv(name, "planted-7f3a")
    secret = tmp_path / "secret"
    secret.write_text("planted-7f3a")
    # An open file that a child would inherit, were descriptors passed on.
    descriptor = os.open(secret, os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    try:
        command = (
            "env; export -p; cat /proc/self/environ; cat /proc/$PPID/cmdline; "
            "for f in /proc/$$/fd/*; do readlink $f; done"
        )
        shown = blocks_text(call(EXEC, command=command).content)
    finally:
        os.close(descriptor)
    assert "planted-7f3a" not in shown
    assert str(secret) not in shown
    assert "OPENCLAW_SHELL=exec" in shown
