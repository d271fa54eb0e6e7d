"""The compose file is one that Docker accepts, and its processes are ours."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from openclaw_site.supervisor.processes import WORKER_COMMAND

ROOT = Path(__file__).resolve().parents[2]


def _compose_command() -> list[str] | None:
    """`docker compose` or the older `docker-compose`, whichever this machine has."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]) is None:
            continue
        if subprocess.run([*command, "version"], capture_output=True, check=False).returncode == 0:
            return command
    return None


def _services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return found


def test_it_works() -> None:
    """All processes stand apart, each of ours after the migration."""
    services = _services()
    assert set(services) == {"postgres", "redis", "migrate", "web", "worker", "beat"}
    for name in ("web", "worker", "beat"):
        condition = services[name]["depends_on"]["migrate"]["condition"]
        assert condition == "service_completed_successfully"


def test_docker_accepts_it(tmp_path: Path) -> None:
    """Without any variable set, as on a fresh checkout."""
    command = _compose_command()
    if command is None:
        assert os.environ.get("CI") != "true", "docker compose must be there in CI"
        pytest.skip("docker compose is not installed")
    file = shutil.copy(ROOT / "docker-compose.yml", tmp_path)
    done = subprocess.run(
        [*command, "-f", file, "config"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    services = yaml.safe_load(done.stdout)["services"]
    assert "postgres:5432" in services["web"]["environment"]["DATABASE_URL"]


def test_worker_is_started_as_everywhere() -> None:
    """The same switches as under the supervisor; beat stands apart."""
    command = _services()["worker"]["command"]
    assert set(WORKER_COMMAND) - {"-m", "--loglevel", "WARNING"} <= set(command)
    assert "OPENCLAW_EMBEDDED_BEAT" not in json.dumps(_services()["worker"])


def test_stores_are_not_reachable_from_outside() -> None:
    """Database and Redis publish no port and stand in an internal network."""
    file = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert file["networks"]["inside"]["internal"] is True
    for name in ("postgres", "redis"):
        assert file["services"][name]["networks"] == ["inside"]
        assert "ports" not in file["services"][name]
    assert all(port.startswith("127.0.0.1:") for port in file["services"]["web"]["ports"])
