"""The container engine: reaching it, and saying clearly when it cannot be reached."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from agents.config.sections.sandbox_schema import DockerSandbox
from agents.core.errors import ToolError
from tools.sandbox.mounts import host_paths

if TYPE_CHECKING:
    import docker

log = structlog.get_logger(__name__)

# Folders of a gateway that runs in a container, and what the engine's machine calls them.
HOST_PATHS = "OPENCLAW_SANDBOX_HOST_PATHS"
_SECONDS = 60
# What the client needs of our environment to find the engine.
_VARIABLES = ("DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_API_VERSION")


class EngineMissing(ToolError):
    """The engine cannot be reached. Nothing was run, neither inside nor on the machine."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the engine's machine can limit and protect."""

    version: str
    memory: bool
    swap: bool
    pids: bool
    cpus: bool
    seccomp: bool
    apparmor: bool

    def missing(self, docker: DockerSandbox) -> list[str]:
        """Sentences about what the settings ask for and this machine cannot do."""
        asked = (
            ("memory", docker.memory is not None, self.memory, "limit memory"),
            ("memorySwap", docker.memory_swap is not None, self.swap, "limit swap"),
            ("pidsLimit", docker.pids_limit is not None, self.pids, "limit processes"),
            ("cpus", docker.cpus is not None, self.cpus, "limit processors"),
            ("seccompProfile", bool(docker.seccomp_profile), self.seccomp, "filter system calls"),
            ("apparmorProfile", bool(docker.apparmor_profile), self.apparmor, "use AppArmor"),
        )
        return [
            f"sandbox.docker.{key}: this machine cannot {what}"
            for key, wanted, able, what in asked
            if wanted and not able
        ]

    def absent(self) -> list[str]:
        """What it lacks, whether asked for or not."""
        known = ("memory", "swap", "pids", "cpus", "seccomp", "apparmor")
        return [name for name in known if not getattr(self, name)]


def engine() -> docker.DockerClient:
    """The client of the engine that DOCKER_HOST names, or of the default socket.

    Raises EngineMissing.
    """
    return _client(engine_address())


def engine_address() -> str:
    """Where the engine is sought."""
    return os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"


def engine_variables() -> dict[str, str]:
    """The variables that lead another process to the same engine."""
    return {name: os.environ[name] for name in _VARIABLES if os.environ.get(name)}


def engine_abilities() -> Abilities:
    """What the engine can do. Raises EngineMissing."""
    with engine_errors():
        facts: dict[str, Any] = engine().info()
    security = " ".join(facts.get("SecurityOptions") or ())
    return Abilities(
        version=str(facts.get("ServerVersion", "")),
        memory=bool(facts.get("MemoryLimit")),
        swap=bool(facts.get("SwapLimit")),
        pids=bool(facts.get("PidsLimit")),
        cpus=bool(facts.get("CpuCfsQuota")),
        seccomp="name=seccomp" in security,
        apparmor="name=apparmor" in security,
    )


def engine_host_paths() -> dict[str, str]:
    """The map of OPENCLAW_SANDBOX_HOST_PATHS. Raises ToolError when it is malformed."""
    try:
        return host_paths(os.environ.get(HOST_PATHS, ""))
    except ValueError as error:
        raise ToolError(f"{HOST_PATHS}: {error}.") from None


def in_container() -> bool:
    """Whether this gateway runs in a container itself."""
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turns what the client raises into sentences: ToolError, EngineMissing for a lost engine."""
    from docker.errors import APIError, DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except APIError as error:
        raise ToolError(f"The sandbox engine refused: {error.explanation or error}") from None
    except (DockerException, RequestException, OSError) as error:
        raise _missing(error) from None


@lru_cache(maxsize=4)
def _client(address: str) -> docker.DockerClient:
    # Imported when a sandbox is used first: it takes a while.
    import docker

    with engine_errors():
        return docker.from_env(timeout=_SECONDS)


def _missing(error: BaseException) -> EngineMissing:
    log.warning("sandbox_engine_missing", address=engine_address(), error=str(error))
    return EngineMissing(
        f"The sandbox engine (Docker) cannot be reached at {engine_address()}. Nothing was run, "
        "and nothing runs on the machine itself instead. An administrator can start Docker, or "
        "set DOCKER_HOST, or change sandbox.mode of this agent."
    )
