"""Which folders of the machine a sandbox may never be given, and where inside they may not go."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from django.utils.translation import gettext as _

# Folders of the system that hold secrets, devices or the engine's own socket (runtime.md 8).
_SYSTEM = (
    "/etc", "/private/etc", "/proc", "/sys", "/dev", "/root", "/boot", "/run", "/var/run",
    "/private/var/run",
)  # fmt: skip
# Below a home folder: accounts and keys of programs.
_PERSONAL = (
    ".aws", ".azure", ".cargo", ".config", ".docker", ".gnupg", ".kube", ".netrc", ".npm", ".ssh",
)  # fmt: skip
_SOCKETS = ("docker.sock", "containerd.sock", "podman.sock", "crio.sock")
# What the sandbox itself puts there.
RESERVED_TARGETS: tuple[str, ...] = ("/workspace", "/agent")
_KERNEL_TARGETS = ("/proc", "/sys", "/dev")
_OPTIONS = frozenset({"ro", "rw", "z", "Z"})


@dataclass(frozen=True, slots=True)
class Bind:
    """A folder of the machine and where it appears inside."""

    source: str
    target: str
    read_only: bool
    relabel: str = ""


def bind_parse(text: str) -> Bind:
    """The parts of `source:target[:options]`. Raises ValueError that says what is wrong."""
    source, colon, rest = text.partition(":")
    target, _colon, options = rest.partition(":")
    if any(ord(one) < 32 for one in text) or not colon or not source or not target:
        raise ValueError(_("must be source:target or source:target:ro"))
    if not source.startswith("/"):
        raise ValueError(_("the source must be an absolute path of this machine"))
    if not target.startswith("/"):
        raise ValueError(_("the target must be an absolute path of the sandbox"))
    stated = options.split(",") if options else []
    if unknown := sorted(set(stated) - _OPTIONS):
        text = _("%(option)s is no option here; known are ro, rw, z, Z")
        raise ValueError(text % {"option": unknown[0]})
    if {"ro", "rw"} <= set(stated):
        raise ValueError(_("ro and rw contradict each other"))
    relabel = "Z" if "Z" in stated else "z" if "z" in stated else ""
    return Bind(os.path.normpath(source), os.path.normpath(target), "ro" in stated, relabel)


def source_problem(source: str, *, home: Path | None = None) -> str:
    """Why a folder must not be given to a sandbox, or "".

    Looked at as written and with its symlinks followed as far as the path exists, so it must be
    asked again before use. `home` is the user's home folder.
    """
    person = Path.home() if home is None else home
    if problem := _problem(_plain(source), person):
        return problem
    try:
        real = os.path.realpath(source)
    except OSError as error:
        return _("it cannot be looked at: %(reason)s") % {"reason": error.strerror}
    return _problem(_plain(real), person)


def contents_problem(source: str, *, home: Path | None = None) -> str:
    """Why a folder must not be given to a sandbox because of what is in it, or ""."""
    person = Path.home() if home is None else home
    return _contents(_plain(os.path.realpath(source)), person)


def target_problem(target: str, *, reserved_allowed: bool = False) -> str:
    """Why nothing may be put there inside of a sandbox, or ""."""
    place = PurePosixPath(os.path.normpath(target))
    if place == PurePosixPath("/"):
        return _("the target must not be the root of the sandbox")
    taken = _KERNEL_TARGETS if reserved_allowed else (*_KERNEL_TARGETS, *RESERVED_TARGETS)
    for name in taken:
        if place.is_relative_to(name) or PurePosixPath(name).is_relative_to(place):
            return _("the target must not cover %(place)s") % {"place": name}
    return ""


def _problem(source: Path, home: Path) -> str:
    if source == Path("/"):
        return _("the whole machine must not be given to a sandbox")
    if any(part in _SOCKETS for part in source.parts):
        return _("the socket of a container engine gives away the machine")
    for place in _protected(home):
        if source.is_relative_to(place):
            return _("%(place)s must not be given to a sandbox") % {"place": place}
    return _contents(source, home)


def _contents(source: Path, home: Path) -> str:
    for place in _protected(home):
        if place.is_relative_to(source) and os.path.lexists(place):
            text = _("%(source)s contains %(place)s, which must not be given to a sandbox")
            return text % {"source": source, "place": place}
    return ""


def _protected(home: Path) -> list[Path]:
    homes = {home, Path(os.path.realpath(home))}
    return [*map(Path, _SYSTEM), *(one / name for one in sorted(homes) for name in _PERSONAL)]


def _plain(path: str) -> Path:
    # Two slashes in front are kept by normpath, and mean the same here.
    return Path("/" + os.path.normpath(path).lstrip("/"))
