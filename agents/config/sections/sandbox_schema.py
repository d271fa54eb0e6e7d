"""`agents.defaults.sandbox` and `agents.list[].sandbox` as a model (runtime.md 8)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.alias_generators import to_camel

from agents.config.schema import Kept, Strict
from agents.config.sections.sandbox_binds import (
    Bind,
    bind_parse,
    source_problem,
    target_problem,
)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SECRET_NAME = re.compile(
    r"API_?KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PRIVATE_?KEY|SECRET|CREDENTIAL|ACCESS_?KEY"
    r"|AUTHORIZATION|COOKIE|DATABASE_URL|REDIS_URL",
    re.IGNORECASE,
)
_SIZE = re.compile(r"[1-9][0-9]*(\.[0-9]+)?[bkmgt]?\Z", re.IGNORECASE)
_ULIMIT = re.compile(r"-?[0-9]+(:-?[0-9]+)?\Z")
_PREFIX = re.compile(r"[a-z0-9][a-z0-9_.-]{0,22}\Z")
_USER = re.compile(r"[0-9]{1,10}(:[0-9]{1,10})?\Z")
_HOST = re.compile(r"[A-Za-z0-9_.-]+:[^\s,]+\Z")
# The reference's limit for one variable, in characters.
_MOST_VALUE = 32_768
_UNITS = {"b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def size_bytes(text: str | int) -> int:
    """The bytes that `512m`, `2g` or a number mean."""
    if isinstance(text, int):
        return text
    unit = text[-1].lower()
    return round(float(text.rstrip("bkmgtBKMGT")) * _UNITS.get(unit, 1))


def _size(value: str | int) -> str | int:
    if isinstance(value, int) and value > 0:
        return value
    if not isinstance(value, str) or not _SIZE.match(value):
        raise ValueError(_("must be a size such as 512m or 2g"))
    return value


def _environment(values: dict[str, str]) -> dict[str, str]:
    for name, value in values.items():
        if not _VARIABLE.match(name):
            raise ValueError(_("%(name)s is no name for a variable") % {"name": repr(name)})
        if _SECRET_NAME.search(name):
            text = _("%(name)s looks like a secret; secrets are never put into a sandbox")
            raise ValueError(text % {"name": name})
        if "\0" in value:
            raise ValueError(_("%(name)s contains a NUL byte") % {"name": name})
        if len(value) > _MOST_VALUE:
            text = _("%(name)s is longer than %(most)d characters")
            raise ValueError(text % {"name": name, "most": _MOST_VALUE})
    return values


def _confined(value: str) -> str:
    if value.strip().lower() == "unconfined":
        raise ValueError(_("unconfined takes the protection away; leave it out for the default"))
    return value


def _profile_file(value: str) -> str:
    if value and not value.startswith("/"):
        raise ValueError(_("must be the absolute path of a JSON file on this machine"))
    return _confined(value) if value else value


def _absolute(value: str) -> str:
    if not value.startswith("/") or "\0" in value or ":" in value:
        raise ValueError(_("must be an absolute path of the sandbox"))
    return os.path.normpath(value)


def _temporary(value: str) -> str:
    path, _colon, options = value.partition(":")
    problem = target_problem(_absolute(path))
    if problem:
        raise ValueError(problem)
    return f"{path}:{options}" if options else path


def _ulimit(value: Any) -> Any:
    if isinstance(value, int) or (isinstance(value, str) and _ULIMIT.match(value)):
        return value
    pair = isinstance(value, Mapping) and value and set(value) <= {"soft", "hard"}
    if pair and all(isinstance(number, int) for number in value.values()):
        return value
    raise ValueError(_("must be a number, soft:hard or {soft, hard}"))


def _fits(pattern: re.Pattern[str], sentence: str) -> AfterValidator:
    def check(value: str) -> str:
        if not pattern.match(value):
            raise ValueError(_(sentence))
        return value

    return AfterValidator(check)


Size = Annotated[str | int, AfterValidator(_size)]
Ulimit = Annotated[Any, BeforeValidator(_ulimit)]
Seconds = Annotated[float, Field(ge=0)]


class DockerSandbox(Strict):
    """How the container is made. The defaults are the reference's; what is None is not limited."""

    image: str = Field(default="openclaw-sandbox:bookworm-slim", min_length=1, max_length=300)
    container_prefix: Annotated[
        str, _fits(_PREFIX, "must be at most 23 of a-z, 0-9, dot, dash and underscore")
    ] = "openclaw-sbx-"
    workdir: Annotated[str, AfterValidator(_absolute)] = "/workspace"
    read_only_root: bool = True
    tmpfs: list[Annotated[str, AfterValidator(_temporary)]] = ["/tmp", "/var/tmp", "/run"]  # noqa: S108
    network: str = Field(default="none", min_length=1, max_length=200)
    user: Annotated[str, _fits(_USER, "must be uid or uid:gid as numbers")] | None = None
    cap_drop: list[str] = ["ALL"]
    env: Annotated[dict[str, str], AfterValidator(_environment)] = {"LANG": "C.UTF-8"}
    pids_limit: int | None = Field(default=None, ge=1, le=1_000_000)
    memory: Size | None = None
    memory_swap: Size | None = None
    cpus: float | None = Field(default=None, gt=0, le=1_024)
    gpus: Annotated[str, _fits(re.compile(r"(all|[1-9][0-9]*)\Z"), "must be all or a number")] | (
        None
    ) = None
    ulimits: dict[str, Ulimit] = {}
    seccomp_profile: Annotated[str, AfterValidator(_profile_file)] = ""
    apparmor_profile: Annotated[str, AfterValidator(_confined)] = ""
    dns: list[str] = []
    extra_hosts: list[Annotated[str, _fits(_HOST, "must be name:address")]] = []
    binds: list[str] = Field(default=[], max_length=64)
    setup_command: str = Field(default="", max_length=32_768)
    dangerously_allow_reserved_container_targets: bool = False
    dangerously_allow_external_bind_sources: bool = False
    dangerously_allow_container_namespace_join: bool = False

    @model_validator(mode="after")
    def _safe(self) -> Self:
        self._check_network()
        if self.memory_swap is not None:
            self._check_swap(self.memory_swap)
        for index, text in enumerate(self.binds):
            self._check_bind(index, text)
        return self

    def bound(self) -> list[Bind]:
        """The binds in parts."""
        return [bind_parse(text) for text in self.binds]

    def weakened(self) -> list[str]:
        """The keys that were set to less protection than there is without them."""
        flags = [name for name in type(self).model_fields if name.startswith("dangerously_")]
        weak = [name for name in flags if getattr(self, name)]
        weak += [] if "ALL" in {name.upper() for name in self.cap_drop} else ["cap_drop"]
        weak += [] if self.read_only_root else ["read_only_root"]
        return [to_camel(name) for name in weak]

    def _check_network(self) -> None:
        kind = self.network.strip().lower()
        if kind == "host":
            text = _("network: host takes the isolation away; use none, bridge or a network's name")
            raise ValueError(text)
        if kind.startswith("container:") and not self.dangerously_allow_container_namespace_join:
            text = _(
                "network: %(network)s joins another container; use none, bridge or a network's "
                "name, or set dangerouslyAllowContainerNamespaceJoin"
            )
            raise ValueError(text % {"network": self.network})

    def _check_swap(self, swap: str | int) -> None:
        if self.memory is None:
            raise ValueError(_("memorySwap needs memory; state both"))
        if size_bytes(swap) < size_bytes(self.memory):
            raise ValueError(_("memorySwap counts memory, too: it must not be smaller"))

    def _check_bind(self, index: int, text: str) -> None:
        reserved = self.dangerously_allow_reserved_container_targets
        try:
            bind = bind_parse(text)
        except ValueError as error:
            raise ValueError(f"binds[{index}]: {error}") from None
        problem = source_problem(bind.source)
        if not problem:
            problem = target_problem(bind.target, reserved_allowed=reserved)
        if problem:
            raise ValueError(f"binds[{index}]: {problem}")


class SandboxPrune(Strict):
    """When containers that nobody uses are removed; 0 means never."""

    idle_hours: float = Field(default=24, ge=0, le=24 * 3_650)
    max_age_days: float = Field(default=7, ge=0, le=3_650)


class SandboxDocument(Strict):
    """Where an agent's commands and files are."""

    mode: Literal["off", "non-main", "all"] = "off"
    scope: Literal["session", "agent", "shared"] = "agent"
    workspace_access: Literal["none", "ro", "rw"] = "none"
    backend: str = "docker"
    workspace_root: str = Field(default="", max_length=500)
    docker: DockerSandbox = DockerSandbox()
    prune: SandboxPrune = SandboxPrune()

    session_tools_visibility: Kept = None
    browser: Kept = None
    ssh: Kept = None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, data: Any) -> Any:
        return sandbox_written_out(data) if isinstance(data, Mapping) else data

    @model_validator(mode="after")
    def _known_backend(self) -> Self:
        if self.backend != "docker":
            text = _("backend: %(backend)s is not available here; use docker")
            raise ValueError(text % {"backend": self.backend})
        if self.workspace_root and not os.path.expanduser(self.workspace_root).startswith("/"):  # noqa: PTH111
            raise ValueError(_("workspaceRoot: must be an absolute path or begin with ~"))
        return self


def sandbox_written_out(data: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the short form `enabled` as a mode: on is `all`. Raises ValueError when
    both are given and contradict each other."""
    result = dict(data)
    if "enabled" not in result:
        return result
    enabled = result.pop("enabled")
    if not isinstance(enabled, bool):
        raise ValueError(_("enabled: must be true or false"))
    mode = result.setdefault("mode", "all" if enabled else "off")
    if (mode != "off") is not enabled:
        text = _("enabled and mode %(mode)s contradict each other; leave enabled out")
        raise ValueError(text % {"mode": mode})
    return result


def sandbox_merged(base: Any, own: Any) -> Any:
    """The settings of an agent over those of the defaults, objects key by key.

    What is no object is left for the model to refuse.
    """
    if not isinstance(base, Mapping) or not isinstance(own, Mapping):
        return base if own is None else own
    try:
        return _merged(sandbox_written_out(base), sandbox_written_out(own))
    except ValueError:
        return {**base, **own}


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in own.items():
        known = result.get(key)
        both = isinstance(value, Mapping) and isinstance(known, Mapping)
        result[key] = _merged(known, value) if both else value  # type: ignore[arg-type]
    return result
