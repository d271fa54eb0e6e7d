"""Starting and stopping the gateway as a person does."""

from __future__ import annotations

import socket
import stat
from contextlib import closing
from pathlib import Path

import httpx
import psutil
import pytest

from tests.platform.fixtures import GatewayFactory
from tests.platform.gateway import Gateway, GatewayFailed, wait_for


def test_it_works(gateway: Gateway) -> None:
    """The ready line names the page, and everything behind it answers."""
    answer = httpx.get(f"{gateway.url}/readyz")
    assert answer.status_code == 200
    assert answer.json()["failing"] == []
    assert sum("ready at" in line for line in gateway.lines) == 1
    assert gateway.sign_in_link.startswith(f"{gateway.url}/signin/")


def test_first_start_makes_tables_and_secrets(gateway_factory: GatewayFactory) -> None:
    """An empty home is filled, and nobody else can read its secrets."""
    gateway = gateway_factory(empty=True)
    assert httpx.get(f"{gateway.url}/readyz").status_code == 200
    for name in ("secret.key", "gateway.token"):
        assert stat.S_IMODE((gateway.home / name).stat().st_mode) == 0o600
    token = gateway.token
    assert gateway.stop() == 0
    assert gateway.start().token == token
    assert sum("preparing the database" in line for line in gateway.lines) == 1


def test_interrupt_stops_all_children(gateway_factory: GatewayFactory) -> None:
    """After Ctrl-C nothing of the gateway runs and its socket is gone."""
    gateway = gateway_factory()
    assert gateway.process is not None
    family = psutil.Process(gateway.process.pid).children(recursive=True)
    assert len(family) == 3
    assert gateway.stop() == 0
    assert not [child for child in family if child.is_running()]
    assert gateway.lines[-1].endswith("stopped")


@pytest.mark.exhaustive
def test_killed_supervisor_takes_its_children_along(gateway_factory: GatewayFactory) -> None:
    """kill -9 of the supervisor leaves no orphan, and the next start works."""
    gateway = gateway_factory()
    assert gateway.process is not None
    family = psutil.Process(gateway.process.pid).children(recursive=True)
    gateway.process.kill()
    gateway.process.wait()
    wait_for(lambda: not [child for child in family if child.is_running()])
    gateway.start()
    assert httpx.get(f"{gateway.url}/readyz").status_code == 200


@pytest.mark.parametrize("name", ["redis", "web", "worker"])
def test_dead_child_is_started_again(gateway: Gateway, name: str) -> None:
    """A killed child comes back under another process id."""
    old = gateway.kill_child(name)
    wait_for(lambda: gateway.pid_of(name) not in (None, old))
    wait_for(lambda: any(f"{name:<7}| ended (killed by SIGKILL)" in li for li in gateway.lines))
    gateway.wait_ready()


def test_taken_port_is_one_clear_line(gateway_factory: GatewayFactory) -> None:
    """The variable to change is named and the exit code is not zero."""
    gateway = gateway_factory(start=False)
    with (
        closing(socket.create_server(("127.0.0.1", gateway.port))),
        pytest.raises(GatewayFailed, match=r"\AOPENCLAW_PORT: [^\n]+\Z"),
    ):
        gateway.start()
    assert gateway.process is not None
    assert gateway.process.returncode == 1


def test_unusable_home_is_one_clear_line(gateway_factory: GatewayFactory, tmp_path: Path) -> None:
    """A file where the folder should be: refused by name."""
    (tmp_path / "file").write_text("")
    gateway = gateway_factory(start=False, OPENCLAW_HOME=str(tmp_path / "file" / "home"))
    with pytest.raises(GatewayFailed, match=r"\AOPENCLAW_HOME: the folder [^\n]+\Z"):
        gateway.start()


def test_second_gateway_on_one_home_is_refused(
    gateway: Gateway, gateway_factory: GatewayFactory
) -> None:
    """Two supervisors would fight over one database and one socket."""
    other = gateway_factory(start=False, OPENCLAW_HOME=str(gateway.home))
    with pytest.raises(GatewayFailed, match=r"\AA gateway already runs on [^\n]+\Z"):
        other.start()


def test_missing_redis_is_one_clear_line(gateway_factory: GatewayFactory, tmp_path: Path) -> None:
    """REDIS_URL that nobody answers at."""
    gateway = gateway_factory(start=False, REDIS_URL=f"unix://{tmp_path}/none.sock")
    with pytest.raises(GatewayFailed, match=r"\AREDIS_URL: [^\n]+\Z"):
        gateway.start()


@pytest.mark.exhaustive
def test_unreadable_redis_data_is_set_aside(gateway_factory: GatewayFactory) -> None:
    """Rows are the truth: a server that cannot load its file starts empty."""
    gateway = gateway_factory()
    gateway.stop()
    for file in (gateway.home / "redis" / "appendonlydir").glob("*.incr.aof"):
        file.write_bytes(b"this is no log\r\n" * 64)
    gateway.start()
    assert any("starts empty" in line for line in gateway.lines)
