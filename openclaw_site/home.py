"""The folder of the gateway's own files: database, secrets, socket, logs.

Pure Python: the supervisor uses it before Django exists. Folders are 0700 and secrets 0600.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from openclaw_site.environment import EnvironmentInvalid, env_text

# sockaddr_un.sun_path holds 108 bytes on Linux and 104 on macOS, the closing zero included.
SOCKET_PATH_LIMIT = 100


def home_path() -> Path:
    """OPENCLAW_HOME as an absolute path; `var` beside the project when it is unset."""
    default = Path(__file__).resolve().parent.parent / "var"
    return Path(env_text("OPENCLAW_HOME", str(default))).expanduser().absolute()


def home_open(home: Path) -> Path:
    """Makes `home` and its `logs` folder if needed and checks that it can be written.

    Raises EnvironmentInvalid, naming OPENCLAW_HOME, when it cannot.
    """
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        (home / "logs").mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as exc:
        raise EnvironmentInvalid(
            f"OPENCLAW_HOME: the folder {home} cannot be written ({exc.strerror}); "
            "make it writable or set OPENCLAW_HOME to another folder"
        ) from exc
    return home


def secret_keep(path: Path, make: Callable[[], str]) -> str:
    """The text of the secret file `path`, made by `make()` and kept 0600 when missing.

    Two processes that start together get the same secret: the file appears whole or not at all.
    """
    if not path.exists():
        draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(make() + "\n")
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    text = path.read_text(encoding="utf-8").strip()
    if not text:
        raise EnvironmentInvalid(f"{path} is empty; delete it to have a new secret made")
    return text


def redis_socket_path(home: Path) -> Path:
    """Where the embedded server listens: in `home`, or in a short private folder elsewhere.

    A Unix socket's path is limited; a deep home gets a 0700 folder in the temporary directory
    whose name is derived from it.
    """
    path = home / "redis.sock"
    if len(os.fsencode(path)) < SOCKET_PATH_LIMIT:
        return path
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"openclaw-{os.getuid()}-{digest}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if folder.is_symlink() or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise EnvironmentInvalid(f"{folder} belongs to somebody else; set OPENCLAW_HOME elsewhere")
    return folder / "redis.sock"
