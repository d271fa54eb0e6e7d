"""Installing and removing skills. What is installed is exactly what was reviewed."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import orjson
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import Conflict, NotFound, UserError
from agents.skills.catalog import skills_forget
from agents.skills.package import Package, digest_of

# Beside the skill's own files; says where they are from.
RECORD = ".installed.json"


def skill_install(*, package: Package, digest: str, target: Path, replace: bool = False) -> Path:
    """Writes the reviewed files to `target/<name>` and returns that folder.

    `digest` must be the one that was reviewed: raises Conflict when the files have changed since.
    Raises Conflict, too, when the skill is there already and `replace` is false. The folder
    appears as a whole or not at all; no file is made executable.
    """
    if digest != package.digest:
        text = _("%(source)s has changed since it was reviewed: it is now %(digest)s.")
        raise Conflict(text % {"source": package.source, "digest": package.digest})
    if RECORD in package.files:
        raise UserError(_("A skill must not bring a file called %(name)s.") % {"name": RECORD})
    folder = target / package.document.name
    if folder.exists() and not replace:
        text = _("%(name)s is installed already. Replace it, or remove it first.")
        raise Conflict(text % {"name": package.document.name})
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=target))
    try:
        _write(made, package)
        _swap(made, folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    skills_forget()
    return folder


def skill_remove(*, name: str, target: Path) -> None:
    """Removes an installed skill. Raises NotFound, and UserError for one made by hand."""
    folder = target / name
    if Path(name).name != name or not folder.is_dir() or folder.is_symlink():
        text = _("There is no installed skill %(name)s in %(folder)s.")
        raise NotFound(text % {"name": name, "folder": target})
    if not (folder / RECORD).is_file():
        text = _("%(name)s was not installed but made by hand: remove its folder yourself.")
        raise UserError(text % {"name": name})
    shutil.rmtree(folder)
    skills_forget()


def skill_changed(folder: Path) -> bool | None:
    """Whether an installed skill differs from what was reviewed; None for one made by hand."""
    try:
        record = orjson.loads((folder / RECORD).read_bytes())
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != RECORD
        }
        return bool(digest_of(files) != record["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(made: Path, package: Package) -> None:
    for name, data in package.files.items():
        path = made / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o600)
    record = {
        "source": package.source,
        "commit": package.commit,
        "digest": package.digest,
        "installedAt": timezone.now().isoformat(),
    }
    (made / RECORD).write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2))


def _swap(made: Path, folder: Path) -> None:
    """Puts `made` in the place of `folder`; the old one is there until the new one is."""
    if not folder.exists():
        made.rename(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=".old-", dir=folder.parent))
    os.rename(folder, old / "was")  # noqa: PTH104
    made.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
