"""Which variables a command gets: a short list of harmless ones, and what the call adds.

The worker's own environment holds API keys and tokens; nothing is inherited unless named here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from agents.core.clean_text import clean_text
from agents.core.errors import ToolError

_INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "TZ"),
    *("TMPDIR", "TEMP", "TMP"),
)
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Variables that make a program load or run something else. The names are the reference's list.
_HIJACKING_NAMES = """
    ANT_OPTS BASH_ENV BROWSER CC CMAKE_CXX_COMPILER CMAKE_C_COMPILER CXX DOTNET_STARTUP_HOOKS
    EMACSLOADPATH ENV ERL_FLAGS EXINIT GCONV_PATH GIT_DIR GIT_EDITOR GIT_EXEC_PATH
    GIT_EXTERNAL_DIFF GIT_TEMPLATE_DIR GIT_WORK_TREE GLIBC_TUNABLES GRADLE_OPTS HOSTALIASES IFS
    JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS MAKEFLAGS MAVEN_OPTS NODE_OPTIONS NODE_PATH PERL5LIB
    PERL5OPT PS4 PYTHONBREAKPOINT PYTHONHOME PYTHONPATH PYTHONSTARTUP RUBYLIB RUBYOPT
    RUSTC_WRAPPER R_PROFILE SBT_OPTS SHELL SHELLOPTS SSLKEYLOGFILE SUDO_ASKPASS SVN_SSH VIMINIT
    _JAVA_OPTIONS
"""
_HIJACKING = frozenset(_HIJACKING_NAMES.split())
_HIJACKING_PREFIXES = ("LD_", "DYLD_", "BASH_FUNC_", "GIT_SSL_", "LUA_INIT")

# Variables that may be inherited or set for a run, but that a model must not choose: they point
# programs at other files, hosts or accounts.
_NOT_CHOSEN_NAMES = """
    ALL_PROXY AMQP_URL CARGO_HOME CURL_CA_BUNDLE DATABASE_URL DOCKER_HOST EDITOR GH_TOKEN
    GITHUB_TOKEN GITLAB_TOKEN GIT_ASKPASS GIT_SSH GIT_SSH_COMMAND GOBIN GOENV GOFLAGS
    GOOGLE_APPLICATION_CREDENTIALS GOPATH GOPROXY GOROOT GOTOOLCHAIN HOME HTTPS_PROXY HTTP_PROXY
    KUBECONFIG MONGODB_URI NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NPM_TOKEN PAGER PATH
    PROMPT_COMMAND REDIS_URL REQUESTS_CA_BUNDLE SSH_ASKPASS SSH_AUTH_SOCK VIRTUAL_ENV VISUAL
    ZDOTDIR
"""
_NOT_CHOSEN = frozenset(_NOT_CHOSEN_NAMES.split())
_NOT_CHOSEN_PREFIXES = (
    *("AWS_", "AZURE_", "CARGO_REGISTRIES_", "DJANGO_", "GIT_CONFIG_", "NPM_CONFIG_"),
    *("OPENCLAW_", "PIP_", "SSL_CERT_", "TF_VAR_", "UV_", "XDG_CONFIG_"),
)


def command_environment(
    inherited: Mapping[str, str], run: Mapping[str, str], call: Mapping[str, str]
) -> dict[str, str]:
    """The whole environment of a command.

    From `inherited` only harmless names; `run` is what the gateway sets for this run and may hold
    keys that its owner granted; `call` is what the model asked for, already checked.
    """
    environment = {"PATH": _DEFAULT_PATH, "TERM": "dumb", "LANG": "C.UTF-8"}
    environment["HOME"] = str(Path.home())
    environment |= {name: value for name, value in inherited.items() if _inheritable(name)}
    environment |= {name: value for name, value in run.items() if not _hijacks(name)}
    return environment | dict(call) | {"OPENCLAW_SHELL": "exec"}


def checked_variables(given: object) -> dict[str, str]:
    """The `env` argument of a call, {} when it is not given.

    Raises ToolError that names the variable when one is malformed or must not be set.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ToolError("env: expected an object of names and texts.")
    for name, value in given.items():
        _check_variable(name, value)
    return {name: clean_text(value) for name, value in given.items()}


def _check_variable(name: object, value: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ToolError(f"env: {name!r} is no name for a variable (letters, digits, underscore).")
    if not isinstance(value, str) or "\0" in value:
        raise ToolError(f"env.{name}: expected text without NUL bytes.")
    upper = name.upper()
    if _hijacks(name) or upper in _NOT_CHOSEN or upper.startswith(_NOT_CHOSEN_PREFIXES):
        raise ToolError(
            f"env.{name}: may not be set for a command, because it changes which programs, files "
            "or accounts are used. Set it inside the command if it is really needed."
        )


def _inheritable(name: str) -> bool:
    listed = name in _INHERITED or name.startswith("LC_")
    return listed and not _SECRET.search(name.upper())


def _hijacks(name: str) -> bool:
    upper = name.upper()
    return upper in _HIJACKING or upper.startswith(_HIJACKING_PREFIXES)
