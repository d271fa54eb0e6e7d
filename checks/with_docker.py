"""`python -m checks.with_docker COMMAND...`: runs a command beside a private Docker engine.

The engine lives in a temporary folder, listens on a Unix socket only, has no network and is gone
afterwards. DOCKER_HOST of the command names it, OPENCLAW_TEST_IMAGE an image made of busybox.
Without Docker on the machine the command is skipped, but fails when CI=true: there every engine
must be present.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

IMAGE = "openclaw-test:busybox"
_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
# The second copies every layer and so works on every disk.
_DRIVERS = ("overlay2", "vfs")


def missing() -> str:
    """What is not installed, "" when everything is there."""
    if os.getuid() != 0:
        return "the rights of root, which the Docker engine needs"
    needed = {"dockerd": "docker.io", "busybox": "busybox-static"}
    absent = [package for name, package in needed.items() if not shutil.which(name)]
    return ", ".join(absent)


@contextmanager
def engine_run() -> Iterator[dict[str, str]]:
    """Runs an engine with the test image; yields the variables that lead to it."""
    with tempfile.TemporaryDirectory(prefix="oc-docker-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        process = _started(folder)
        try:
            host = f"unix://{folder}/s"
            image_import(host)
            yield {"DOCKER_HOST": host, "OPENCLAW_TEST_IMAGE": IMAGE}
        finally:
            _stop(process)
            _unmount(folder)


def image_import(host: str) -> None:
    """Makes an image of nothing but busybox."""
    import docker

    # Without a frame of its own the tool may be a dynamic program of another package.
    program = Path(shutil.which("busybox") or "/bin/busybox").read_bytes()
    names = subprocess.run(
        ["busybox", "--list"],  # noqa: S607 - whatever is found on PATH is what is meant
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for one in ("bin", "etc", "tmp", "var", "var/tmp", "run", "workspace", "agent"):
            _add(tar, one, tarfile.DIRTYPE)
        _add(tar, "bin/busybox", tarfile.REGTYPE, data=program)
        for one in names:
            if one != "busybox":
                _add(tar, f"bin/{one}", tarfile.SYMTYPE, link="busybox")
    client = docker.DockerClient(base_url=host)
    repository, _colon, tag = IMAGE.partition(":")
    client.api.import_image_from_data(packed.getvalue(), repository=repository, tag=tag)
    client.close()


def _add(
    tar: tarfile.TarFile, name: str, kind: bytes, *, data: bytes = b"", link: str = ""
) -> None:
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.size, info.linkname = kind, 0o755, len(data), link
    tar.addfile(info, io.BytesIO(data))


def _started(folder: Path) -> subprocess.Popen[bytes]:
    for driver in _DRIVERS:
        process = _start(folder, driver)
        if _answers(folder, process):
            return process
        _stop(process)
    sys.stderr.write((folder / "log").read_text(errors="replace")[-4_000:])
    raise SystemExit("the Docker engine did not start")


def _start(folder: Path, driver: str) -> subprocess.Popen[bytes]:
    command = [
        "dockerd",
        *("--bridge=none", "--iptables=false", "--storage-driver", driver),
        *("--host", f"unix://{folder}/s", "--pidfile", str(folder / "pid")),
        *("--data-root", str(folder / driver), "--exec-root", str(folder / "x")),
    ]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def _answers(folder: Path, process: subprocess.Popen[bytes]) -> bool:
    import docker

    until = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        with suppress(Exception):
            return docker.DockerClient(base_url=f"unix://{folder}/s").ping()
        time.sleep(0.1)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_SECONDS)
    # Its containerd and what ran in containers are of the same session.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _unmount(folder: Path) -> None:
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    inside = [line.split()[1] for line in mounts if line.split()[1].startswith(f"{folder}/")]
    for place in sorted(inside, reverse=True):
        subprocess.run(["umount", "-l", place], check=False)  # noqa: S607


def main(command: Sequence[str]) -> int:
    """The command's exit code."""
    if absent := missing():
        needed = os.environ.get("CI") == "true"
        sys.stderr.write(f"not there: {absent}; the tests of the sandbox were not run\n")
        return 1 if needed else 0
    with engine_run() as variables:
        return subprocess.run(command, check=False, env={**os.environ, **variables}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
