"""Makes one container: every limit and protection of it. Blocking."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from agents.config.sections.sandbox_schema import DockerSandbox, size_bytes
from agents.core.errors import ToolError
from tools.sandbox.choice import SandboxPlan, labels_of
from tools.sandbox.engine import (
    HOST_PATHS,
    engine,
    engine_abilities,
    engine_host_paths,
    in_container,
)
from tools.sandbox.mounts import WORKSPACE, Mount
from tools.sandbox.stream import START, ExecStream

if TYPE_CHECKING:
    from docker.models.containers import Container

log = structlog.get_logger(__name__)

# Waits for ever, ends when asked to, and collects what commands leave behind as zombies.
_IDLE = "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done"
_SETUP_SECONDS = 1_800.0
_SETUP_TAIL = 1_000
_TEMPORARY_OPTIONS = "rw,nosuid,nodev,mode=1777"


def container_make(
    plan: SandboxPlan, mounts: Sequence[Mount], *, user: str, digest: str, home: Path
) -> None:
    """Makes and starts the container, looks whether it sees the right folders, and runs the setup
    command. Raises ToolError, and then there is no container."""
    docker = plan.config.docker
    if missing := engine_abilities().missing(docker):
        raise ToolError(
            f"The sandbox was not made: {'; '.join(missing)}. Leave the setting out or use "
            "another machine. Nothing was run."
        )
    options = container_options(plan, mounts, user=user)
    labels = labels_of(plan, created_ms=round(time.time() * 1000), digest=digest, home=home)
    container = _created(docker, {**options, "name": plan.name, "labels": labels})
    try:
        container.start()
        _check_folders(plan, mounts)
        _set_up(plan)
    except BaseException:
        container.remove(force=True, v=True)
        raise
    log.info("sandbox_made", container=plan.name, scope=plan.scope_key, image=docker.image)


def container_options(plan: SandboxPlan, mounts: Sequence[Mount], *, user: str) -> dict[str, Any]:
    """What the engine is asked for. Nothing of the gateway's own environment is in it."""
    docker, paths = plan.config.docker, engine_host_paths()
    options: dict[str, Any] = {
        "command": ["sh", "-c", _IDLE],
        "entrypoint": [],
        "working_dir": docker.workdir,
        "user": user,
        "environment": {"HOME": WORKSPACE, **docker.env},
        "read_only": docker.read_only_root,
        "tmpfs": dict(map(_temporary, docker.tmpfs)),
        "cap_drop": docker.cap_drop,
        "security_opt": _security(docker),
        "volumes": [mount.spec(paths) for mount in mounts],
        "dns": docker.dns or None,
        "extra_hosts": dict(host.split(":", 1) for host in docker.extra_hosts) or None,
        "network_mode": docker.network,
        "detach": True,
    }
    return {**options, **_limits(docker)}


def _limits(docker: DockerSandbox) -> dict[str, Any]:
    from docker.types import DeviceRequest, Ulimit

    limits: dict[str, Any] = {}
    if docker.pids_limit is not None:
        limits["pids_limit"] = docker.pids_limit
    if docker.memory is not None:
        limits["mem_limit"] = size_bytes(docker.memory)
    if docker.memory_swap is not None:
        limits["memswap_limit"] = size_bytes(docker.memory_swap)
    if docker.cpus is not None:
        limits["nano_cpus"] = round(docker.cpus * 1e9)
    if docker.ulimits:
        pairs = {name: _pair(value) for name, value in docker.ulimits.items()}
        limits["ulimits"] = [Ulimit(name=n, soft=s, hard=h) for n, (s, h) in pairs.items()]
    if docker.gpus:
        count = -1 if docker.gpus == "all" else int(docker.gpus)
        limits["device_requests"] = [DeviceRequest(count=count, capabilities=[["gpu"]])]
    return limits


def _pair(value: Any) -> tuple[int, int]:
    if isinstance(value, dict):
        both = [int(number) for number in value.values()]
        return int(value.get("soft", both[0])), int(value.get("hard", both[0]))
    first, _colon, second = str(value).partition(":")
    return int(first), int(second or first)


def _temporary(text: str) -> tuple[str, str]:
    path, _colon, options = text.partition(":")
    return path, options or _TEMPORARY_OPTIONS


def _security(docker: DockerSandbox) -> list[str]:
    found = ["no-new-privileges"]
    if docker.seccomp_profile:
        try:
            profile = Path(docker.seccomp_profile).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ToolError(
                f"sandbox.docker.seccompProfile: {docker.seccomp_profile} cannot be read: {error}. "
                "Nothing was run."
            ) from None
        found.append(f"seccomp={profile}")
    if docker.apparmor_profile:
        found.append(f"apparmor={docker.apparmor_profile}")
    return found


def _created(docker: DockerSandbox, options: dict[str, Any]) -> Container:
    from docker.errors import ImageNotFound

    try:
        return engine().containers.create(docker.image, **options)
    except ImageNotFound:
        raise ToolError(
            f"The sandbox image {docker.image} is not there. An administrator can make the usual "
            "one with: docker build -t openclaw-sandbox:bookworm-slim docker/sandbox. Nothing was "
            "run."
        ) from None


def _check_folders(plan: SandboxPlan, mounts: Sequence[Mount]) -> None:
    """Looks whether a fresh file of each folder is seen inside: an engine elsewhere may have
    another folder of the same name, or none."""
    for mount in mounts:
        if mount.source not in (plan.folder, plan.workspace):
            continue
        mark = mount.source / f".openclaw-{secrets.token_hex(8)}.tmp"
        mark.touch()
        try:
            script = f'{START}[ -e "$1" ]'
            code, _said = run_script(plan.name, script, f"{mount.target}/{mark.name}")
        finally:
            mark.unlink(missing_ok=True)
        if code != 0:
            where = " This gateway runs in a container." if in_container() else ""
            raise ToolError(
                f"The sandbox engine does not see the gateway's folder {mount.source}.{where} Set "
                f"{HOST_PATHS} to what its machine calls it (/folder/here=/folder/there). Nothing "
                "was run."
            )


def _set_up(plan: SandboxPlan) -> None:
    command = plan.config.docker.setup_command
    if not command:
        return
    code, said = run_script(
        plan.name, f'{START}exec sh -lc "$1" </dev/null', command, seconds=_SETUP_SECONDS
    )
    if code != 0:
        tail = said.decode("utf-8", "replace").strip()[-_SETUP_TAIL:]
        raise ToolError(
            f"sandbox.docker.setupCommand ended with code {code}, so there is no sandbox and "
            f"nothing was run. The end of what it said: {tail or '(nothing)'}"
        )


def run_script(
    container: str, script: str, *arguments: str, seconds: float = 30.0
) -> tuple[int | None, bytes]:
    """Runs a script that begins with START to its end: its exit code (None: not in time) and the
    end of its output."""
    stream = ExecStream(engine().api, container, ["sh", "-c", script, "sh", *arguments])
    said, until = b"", time.monotonic() + seconds
    try:
        stream.end_input()
        while (left := until - time.monotonic()) > 0:
            data = stream.read(left)
            if data is None:
                return stream.ended(), said
            said = (said + data)[-64 * 1024 :]
        return None, said
    finally:
        stream.close()
