"""Which sandbox a turn gets, and what it is called. Pure: reads no disk and asks no engine."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from agents.config.sections.sandbox_schema import SandboxDocument

# Changes when a container of an older release could not be used any more.
MOUNT_VERSION = "2"
LABEL = "openclaw.sandbox"
LABEL_SCOPE = "openclaw.sessionKey"
LABEL_CREATED = "openclaw.createdAtMs"
LABEL_VERSION = "openclaw.mountFormatVersion"
LABEL_HASH = "openclaw.configHash"
# Which gateway made it: several may share an engine.
LABEL_INSTANCE = "openclaw.instance"

_SLUG = re.compile(r"[^a-z0-9._-]+")
_SLUG_LENGTH = 32
_NAME_LENGTH = 63


@dataclass(frozen=True, slots=True)
class SandboxPlan:
    """The sandbox of a turn. `workspace` is the agent's folder, `folder` the one that the sandbox
    has as its own, both as the gateway sees them.

    `fault` says why the settings cannot be used; then nothing may run, neither inside nor outside.
    """

    agent: str
    session_key: str
    scope_key: str
    name: str
    workspace: Path
    folder: Path
    config: SandboxDocument
    fault: str = ""

    @property
    def is_own_folder(self) -> bool:
        """Whether the sandbox has a folder of its own and not the agent's workspace."""
        return self.folder != self.workspace


def sandbox_plan(
    settings: Mapping[str, Any], *, agent: str, session_key: str, workspace: Path, home: Path
) -> SandboxPlan | None:
    """The sandbox for a session of the agent; None when it works on the machine itself.

    `settings` are the agent's, the defaults merged in; `home` is OPENCLAW_HOME. Never raises:
    settings that are invalid give a plan with a fault.
    """
    stated = settings.get("sandbox")
    if not stated:
        return None
    config, fault = sandbox_settings(stated)
    if not fault and not _applies(config.mode, agent, session_key):
        return None
    scope = scope_key(config.scope, agent=agent, session_key=session_key)
    name = container_name(config.docker.container_prefix, scope)
    root = Path(config.workspace_root).expanduser() if config.workspace_root else home / "sandboxes"
    folder = workspace if config.workspace_access == "rw" else root / folder_name(scope)
    return SandboxPlan(agent, session_key, scope, name, workspace, folder, config, fault)


def sandbox_settings(stated: Any) -> tuple[SandboxDocument, str]:
    """The settings as a model, and what is wrong with them ("": nothing)."""
    try:
        return _parsed(orjson.dumps(stated)), ""
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in ("sandbox", *first["loc"]))
        return SandboxDocument(mode="all"), f"{where}: {first['msg']}"
    except TypeError:
        return SandboxDocument(mode="all"), "sandbox: is no object of settings"


@lru_cache(maxsize=64)
def _parsed(stated: bytes) -> SandboxDocument:
    return SandboxDocument.model_validate(orjson.loads(stated))


def _applies(mode: str, agent: str, session_key: str) -> bool:
    if mode == "non-main":
        return session_key != f"agent:{agent}:main"
    return mode == "all"


def scope_key(scope: str, *, agent: str, session_key: str) -> str:
    """What shares one container: everything, an agent's sessions, or one session."""
    if scope == "shared":
        return "shared"
    return session_key if scope == "session" else f"agent:{agent}"


def container_name(prefix: str, scope: str) -> str:
    """The name of a scope's container, at most 63 characters (runtime.md 8)."""
    room = _NAME_LENGTH - len(prefix) - 9
    return f"{prefix}{_slug(scope)[: min(_SLUG_LENGTH, room)]}-{_digest(scope, 8)}"


def folder_name(scope: str) -> str:
    """The name of a scope's own folder."""
    return f"{_slug(scope)[:_SLUG_LENGTH]}-{_digest(scope, 8)}"


def instance_of(home: Path) -> str:
    """What tells this gateway's containers from those of others."""
    return _digest(str(home), 12)


def config_hash(config: SandboxDocument, mounts: object, user: str) -> str:
    """Changes when a container has to be made anew: all that it is made of, in any order."""
    docker = config.docker.model_dump(mode="json", by_alias=True)
    for key in ("capDrop", "tmpfs", "dns", "extraHosts", "binds"):
        docker[key] = sorted(docker[key])
    facts = [docker, config.workspace_access, str(mounts), user, MOUNT_VERSION]
    return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def labels_of(plan: SandboxPlan, *, created_ms: int, digest: str, home: Path) -> dict[str, str]:
    """What is written on the container."""
    return {
        LABEL: "1",
        LABEL_SCOPE: plan.scope_key,
        LABEL_CREATED: str(created_ms),
        LABEL_VERSION: MOUNT_VERSION,
        LABEL_HASH: digest,
        LABEL_INSTANCE: instance_of(home),
    }


def _slug(scope: str) -> str:
    return _SLUG.sub("-", scope.lower()).strip("-._") or "sandbox"


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
