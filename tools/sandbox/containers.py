"""Containers: making them as the settings say, finding them again, removing them. Blocking."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from agents.core.errors import ToolError
from tools.sandbox.choice import (
    LABEL,
    LABEL_HASH,
    LABEL_INSTANCE,
    SandboxPlan,
    config_hash,
    instance_of,
)
from tools.sandbox.creation import container_make
from tools.sandbox.engine import engine, engine_errors
from tools.sandbox.mounts import SKILLS, Mount, mounts_of

if TYPE_CHECKING:
    from docker.models.containers import Container

log = structlog.get_logger(__name__)

# A container that was used in the last five minutes is not replaced under somebody's hands.
IN_USE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Known:
    """What the gateway's own row says of a container. `last_used` in Unix seconds."""

    config_hash: str
    last_used: float


@dataclass(frozen=True, slots=True)
class Ready:
    """A running container. `outdated`: it was made by older settings and is in use still."""

    mounts: tuple[Mount, ...]
    config_hash: str
    is_new: bool
    outdated: bool = False


def container_ready(plan: SandboxPlan, known: Known | None, *, home: Path) -> Ready:
    """The running container of a plan, made (anew) where that is needed.

    To be called by one at a time for each name. A container without `known` was left behind half
    made, so it is made again. Raises ToolError, and then nothing may run.
    """
    folders_make(plan)
    mounts = mounts_of(plan, home=home)
    user = user_of(plan)
    wanted = config_hash(plan.config, mounts, user)
    with engine_errors():
        found = container_find(plan.name)
        if found is not None:
            _check_ours(found, plan, home)
            digest = found.labels.get(LABEL_HASH, "")
            if known is not None and known.config_hash == digest:
                if digest == wanted:
                    started(found)
                    return Ready(mounts, wanted, is_new=False)
                if found.status == "running" and _is_recent(known):
                    log.info("sandbox_outdated", container=plan.name)
                    return Ready(mounts, digest, is_new=False, outdated=True)
            found.remove(force=True, v=True)
        container_make(plan, mounts, user=user, digest=wanted, home=home)
    return Ready(mounts, wanted, is_new=True)


def container_find(name: str) -> Container | None:
    """The container of that name. Raises what the client raises."""
    from docker.errors import NotFound

    try:
        return engine().containers.get(name)
    except NotFound:
        return None


def containers_ours(home: Path) -> list[Container]:
    """Every container that this gateway made. Raises ToolError."""
    labels = [f"{LABEL}=1", f"{LABEL_INSTANCE}={instance_of(home)}"]
    with engine_errors():
        return list(engine().containers.list(all=True, filters={"label": labels}))


def container_busy(container: Container) -> bool:
    """Whether a command runs in it at this moment. Raises what the client raises."""
    api = engine().api
    container.reload()
    ids: Sequence[str] = container.attrs.get("ExecIDs") or ()
    return any(api.exec_inspect(one).get("Running") for one in ids)


def started(container: Container) -> None:
    """Makes a container run that was stopped, by a restart of its machine, say."""
    if container.status == "paused":
        container.unpause()
    elif container.status != "running":
        container.start()


def user_of(plan: SandboxPlan) -> str:
    """uid:gid that commands have: the stated ones, else the owner of the folder."""
    if plan.config.docker.user:
        return plan.config.docker.user
    status = plan.folder.stat()
    return f"{status.st_uid}:{status.st_gid}"


def folders_make(plan: SandboxPlan) -> None:
    """Makes the folders that are mounted. Raises ToolError."""
    try:
        plan.workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
        plan.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if plan.is_own_folder and (plan.workspace / SKILLS).is_dir():
            # Where the skills appear; the engine would make it as root.
            (plan.folder / SKILLS).mkdir(exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"The sandbox's folder {plan.folder} cannot be made: {error.strerror}."
        ) from None


def _check_ours(found: Container, plan: SandboxPlan, home: Path) -> None:
    labels: Mapping[str, Any] = found.labels
    if labels.get(LABEL) != "1" or labels.get(LABEL_INSTANCE) != instance_of(home):
        raise ToolError(
            f"A container {plan.name} is there already and was not made by this gateway. Set "
            "sandbox.docker.containerPrefix to something else. Nothing was run."
        )


def _is_recent(known: Known) -> bool:
    return time.time() - known.last_used < IN_USE_SECONDS
