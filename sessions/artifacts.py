"""Files of a conversation: stored once, named by a row, shown to the model as blocks."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import structlog
from django.conf import settings
from django.utils.translation import gettext as _

from agents.core.errors import LimitReached, NotFound, ToolError, UserError
from agents.core.principal import Principal
from agents.ids import new_id
from sessions.models import Artifact
from tools.workspace.files import write_file

log = structlog.get_logger(__name__)

# design 12: attachments.
MAX_BYTES = 20 * 1024 * 1024
MAX_IMAGE_BYTES = 6 * 1024 * 1024
MAX_INLINE_BYTES = 5_000_000
MAX_TEXT_BYTES = 100_000
IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def artifacts_folder() -> Path:
    """The folder that holds all stored files."""
    return Path(settings.OPENCLAW.home) / "artifacts"


def image_type(data: bytes) -> str:
    """The image type that the first bytes show, "" for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for head, kind in _SIGNATURES if data.startswith(head)), "")


def artifact_store(
    *, principal: Principal, name: str, mime_type: str, data: bytes, session_key: str = ""
) -> Artifact:
    """Stores a file for its sender. What the bytes show wins over the stated image type.

    Raises LimitReached over 20 MiB (images 6 MiB) and UserError for an empty file.
    """
    if not data:
        raise UserError(_("attachments: the file is empty."))
    kind = image_type(data)
    limit = MAX_IMAGE_BYTES if kind else MAX_BYTES
    if len(data) > limit:
        text = _("attachments: %(name)s is larger than %(limit)s MiB.")
        raise LimitReached(text % {"name": name, "limit": limit // 1024 // 1024})
    if not kind and mime_type.startswith("image/"):
        kind = "application/octet-stream"
    identifier = new_id()
    relative = f"{identifier[:10]}/{identifier}"
    path = artifacts_folder() / relative
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(data)
    return Artifact.objects.create(
        id=identifier,
        person_id=principal.id,
        session_key=session_key,
        name=file_name(name),
        mime_type=kind or mime_type or "application/octet-stream",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        path=relative,
    )


def file_name(raw: str) -> str:
    """A safe last path part: no folders, no control characters, never empty."""
    name = PurePosixPath(raw.replace("\\", "/")).name
    name = "".join(char for char in name if char.isprintable()).strip(". ")
    return name[:120] or "file"


def artifact_path(artifact: Artifact) -> Path:
    """Where the file lies."""
    return artifacts_folder() / artifact.path


def attachments_store(
    *, principal: Principal, session_key: str, attachments: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """References for what a client attached: uploaded files by id, or inline base64 content.

    Raises UserError that names the attachment, NotFound for somebody else's id.
    """
    found = [
        _attachment(principal, session_key, number, item) for number, item in enumerate(attachments)
    ]
    return [{"id": a.id, "name": a.name, "mimeType": a.mime_type, "size": a.size} for a in found]


def _attachment(
    principal: Principal, session_key: str, number: int, item: Mapping[str, Any]
) -> Artifact:
    where = f"attachments[{number}]"
    if identifier := item.get("id"):
        artifact = Artifact.objects.filter(pk=identifier).first()
        if artifact is None or (artifact.person_id != principal.id and not principal.is_owner):
            text = _("%(field)s: there is no uploaded file %(id)s.")
            raise NotFound(text % {"field": where, "id": identifier})
        return artifact
    content = item.get("content")
    if not isinstance(content, str) or not content:
        text = _("%(field)s needs an id of an uploaded file, or base64 content.")
        raise UserError(text % {"field": where})
    if len(content) > MAX_INLINE_BYTES * 4 // 3 + 4:
        text = _("%(field)s is larger than 5 MB; upload it and send its id.")
        raise LimitReached(text % {"field": where})
    try:
        data = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UserError(_("%(field)s.content is not base64.") % {"field": where}) from error
    return artifact_store(
        principal=principal,
        name=str(item.get("fileName") or "attachment"),
        mime_type=str(item.get("mimeType") or ""),
        data=data,
        session_key=session_key,
    )


def attachment_blocks(
    *, references: Sequence[Mapping[str, Any]], workspace: Path
) -> dict[str, dict[str, Any]]:
    """Transcript blocks for attached files, by the files' ids. Never within a transaction.

    Images stay references (data `artifact:<id>`), filled in when a request is built; text up to
    100 kB is inlined; everything else is copied to `<workspace>/inbox/` and named. A file that
    cannot be read or copied is named with the reason.
    """
    return {reference["id"]: _block(reference, workspace) for reference in references}


def _block(reference: Mapping[str, Any], workspace: Path) -> dict[str, Any]:
    artifact = Artifact.objects.filter(pk=reference["id"]).first()
    if artifact is None or not artifact_path(artifact).is_file():
        text = f"[Attached file {reference.get('name')} is no longer stored.]"
        return {"type": "text", "text": text}
    if artifact.mime_type in IMAGE_TYPES:
        data = f"artifact:{artifact.id}"
        return {"type": "image", "data": data, "mimeType": artifact.mime_type}
    try:
        return {"type": "text", "text": _file_text(artifact, workspace)}
    except (OSError, ToolError) as error:
        log.warning("attachment.not_copied", artifact=artifact.id, error=str(error))
        reason = error.message if isinstance(error, ToolError) else f"{error.strerror}."
        text = f"[Attached file {artifact.name} could not be put into the workspace: {reason}]"
        return {"type": "text", "text": text}


def _file_text(artifact: Artifact, workspace: Path) -> str:
    data = artifact_path(artifact).read_bytes()
    if len(data) <= MAX_TEXT_BYTES and b"\x00" not in data:
        try:
            return f'<file name="{artifact.name}">\n{data.decode("utf-8-sig")}\n</file>'
        except UnicodeDecodeError:
            pass
    name = f"inbox/{artifact.id[-8:]}-{artifact.name}"
    if not (workspace / name).exists():
        # An agent may have put a link there; nothing is written behind it.
        write_file(workspace, name, data)
    return (
        f"[Attached file {artifact.name} ({artifact.mime_type}, {artifact.size} bytes) is at "
        f"{name} in the workspace.]"
    )


def image_data(artifact_id: str) -> str:
    """The base64 of a stored image, "" when it is gone."""
    artifact = Artifact.objects.filter(pk=artifact_id).first()
    if artifact is None:
        return ""
    try:
        return base64.b64encode(artifact_path(artifact).read_bytes()).decode()
    except OSError:
        return ""
