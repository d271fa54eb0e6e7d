"""Environment variables that cannot be used are refused by name."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from agents.core.errors import UserError
from openclaw_site.databases import database_entry
from openclaw_site.environment import EnvironmentInvalid, env_flag, env_number, env_url
from openclaw_site.gateway_settings import GatewaySettings, gateway_settings_load
from openclaw_site.home import home_open, redis_socket_path, secret_keep


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home that OPENCLAW_HOME names."""
    monkeypatch.setenv("OPENCLAW_HOME", str(tmp_path))
    return tmp_path


def test_it_works(home: Path) -> None:
    """Without any variable: loopback, the standard port, secrets made and kept."""
    settings = gateway_settings_load()
    assert settings.address == "http://127.0.0.1:18789"
    assert settings.is_loopback
    assert settings.redis_embedded
    again = gateway_settings_load()
    assert (again.gateway_token, again.keys) == (settings.gateway_token, settings.keys)
    assert settings.gateway_token not in repr(settings)
    assert settings.keys[0] not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENCLAW_PORT", "0"),
        ("OPENCLAW_PORT", "65536"),
        ("OPENCLAW_PORT", "eighty"),
        ("OPENCLAW_BIND", "example.org"),
        ("OPENCLAW_PUBLIC_URL", "ftp://example.org"),
        ("OPENCLAW_SECRET_KEYS", "short"),
        ("REDIS_URL", "http://127.0.0.1"),
    ],
)
def test_bad_value_names_its_variable(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """The message begins with the variable that must be changed."""
    monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match=rf"^{name}\b"):
        gateway_settings_load()


def test_short_token_is_refused_on_an_open_address(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guessable token is a matter of this machine only."""
    monkeypatch.setenv("OPENCLAW_GATEWAY_TOKEN", "short")
    assert gateway_settings_load().gateway_token == "short"
    monkeypatch.setenv("OPENCLAW_BIND", "0.0.0.0")
    with pytest.raises(EnvironmentInvalid, match="^OPENCLAW_GATEWAY_TOKEN"):
        gateway_settings_load()


@pytest.mark.parametrize("value", ["mysql://u:secret@h/db", "postgresql://u:secret@h", "nonsense"])
def test_bad_database_url_keeps_its_password(
    home: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """The variable is named, the value never shown."""
    monkeypatch.setenv("DATABASE_URL", value)
    with pytest.raises(EnvironmentInvalid, match="^DATABASE_URL") as caught:
        database_entry(home)
    assert "secret" not in caught.value.message


def test_postgres_url(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Escapes are undone; a socket folder may stand for the host."""
    monkeypatch.setenv(
        "DATABASE_URL", "postgresql://us%40er:p%2Fw@%2Frun%2Fpg:5433/na%20me?sslmode=disable"
    )
    entry = database_entry(home)
    assert (entry["USER"], entry["PASSWORD"], entry["NAME"]) == ("us@er", "p/w", "na me")
    assert (entry["HOST"], entry["PORT"]) == ("/run/pg", "5433")
    assert entry["OPTIONS"] == {"sslmode": "disable"}


def test_flags_and_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty is unset; anything unclear is refused."""
    monkeypatch.setenv("X_FLAG", "")
    assert env_flag("X_FLAG", True)
    monkeypatch.setenv("X_FLAG", "maybe")
    with pytest.raises(EnvironmentInvalid, match="^X_FLAG"):
        env_flag("X_FLAG")
    monkeypatch.setenv("X_NUMBER", "\u0663")
    with pytest.raises(EnvironmentInvalid, match="^X_NUMBER"):
        env_number("X_NUMBER", 1, low=0, high=9)
    monkeypatch.setenv("X_URL", "http://[broken")
    with pytest.raises(EnvironmentInvalid, match="^X_URL"):
        env_url("X_URL", ("http",))


def test_secrets_are_private_and_empty_ones_refused(tmp_path: Path) -> None:
    """0600 whatever the umask; an empty file is no secret."""
    old = os.umask(0)
    try:
        assert secret_keep(tmp_path / "one", lambda: "text") == "text"
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "one").stat().st_mode) == 0o600
    assert secret_keep(tmp_path / "one", lambda: "other") == "text"
    assert list(tmp_path.iterdir()) == [tmp_path / "one"]
    (tmp_path / "two").write_text("\n")
    with pytest.raises(EnvironmentInvalid, match="two is empty"):
        secret_keep(tmp_path / "two", lambda: "text")


def test_deep_home_gets_a_short_socket(tmp_path: Path) -> None:
    """A Unix socket's path is limited to about 100 bytes."""
    assert redis_socket_path(Path("/srv/claw")) == Path("/srv/claw/redis.sock")
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    path = redis_socket_path(home_open(deep))
    assert len(os.fsencode(path)) < 100
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert redis_socket_path(deep) == path
    path.parent.chmod(0o777)
    try:
        with pytest.raises(EnvironmentInvalid, match="belongs to somebody else"):
            redis_socket_path(deep)
    finally:
        path.parent.rmdir()


def test_keys_are_rotated_by_putting_one_in_front(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old keys stay readable; the derived keys tell nothing of each other."""
    monkeypatch.setenv("OPENCLAW_SECRET_KEYS", "a" * 16)
    old = gateway_settings_load()
    monkeypatch.setenv("OPENCLAW_SECRET_KEYS", f"{'b' * 16},{'a' * 16}")
    new = gateway_settings_load()
    assert new.encryption_keys()[1:] == old.encryption_keys()
    assert new.signing_keys()[1:] == old.signing_keys()
    assert not set(new.signing_keys()) & set(new.encryption_keys())


@pytest.mark.parametrize(
    ("bind", "address"),
    [("0.0.0.0", "http://127.0.0.1:1"), ("::", "http://[::1]:1"), ("::1", "http://[::1]:1")],
)
def test_address_is_one_that_people_can_open(bind: str, address: str) -> None:
    """A wildcard is no address; IPv6 stands in brackets."""
    assert _settings(bind=bind, port=1).address == address


def test_open_bind_allows_its_own_names_only(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Host headers are checked against what was configured."""
    monkeypatch.setenv("OPENCLAW_BIND", "192.0.2.7")
    monkeypatch.setenv("OPENCLAW_PUBLIC_URL", "https://claw.example/")
    monkeypatch.setenv("OPENCLAW_ALLOWED_HOSTS", "claw.lan")
    settings = gateway_settings_load()
    assert {"192.0.2.7", "claw.example", "claw.lan", "localhost"} <= set(settings.allowed_hosts)
    assert "*" not in settings.allowed_hosts
    assert settings.trusted_origins == ["https://claw.example"]
    assert settings.is_https
    assert not settings.is_loopback


def _settings(*, bind: str, port: int) -> GatewaySettings:
    return GatewaySettings(
        home=Path("/nowhere"),
        bind=bind,
        port=port,
        model="",
        public_url=None,
        extra_hosts=(),
        redis_url="",
        broker_url="",
        redis_embedded=True,
        gateway_token="",
        keys=(),
    )
