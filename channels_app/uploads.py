"""Uploaded files: how large they may be and what they are, judged by their bytes."""

from __future__ import annotations

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from agents.core.errors import LimitReached, UserError
from agents.core.principal import Principal
from sessions.artifacts import (
    IMAGE_TYPES,
    MAX_BYTES,
    MAX_IMAGE_BYTES,
    artifact_store,
    image_type,
)
from sessions.models import Artifact

_SNIFFED = 4096
# What the chat page plays; none of these can hold a program.
PLAYED_TYPES = frozenset({"audio/mpeg", "audio/ogg", "audio/wav", "video/mp4", "video/webm"})
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
)
# Containers whose inner kind the sender knows better than the first bytes do.
_ZIP_KINDS = ("application/vnd.", "application/epub", "application/java-archive")
_MEBIBYTE = 1024 * 1024


def upload_store(
    *, principal: Principal, file: UploadedFile[bytes], session_key: str = ""
) -> Artifact:
    """Stores an uploaded file for its sender.

    Raises LimitReached over 20 MiB (images 6 MiB), before the file is read into memory, and
    UserError for an empty one.
    """
    name = file.name or _("file")
    head = file.read(_SNIFFED)
    file.seek(0)
    limit = MAX_IMAGE_BYTES if image_type(head) else MAX_BYTES
    if (file.size or 0) > limit:
        raise LimitReached(
            _("file: %(name)s has %(size)s MiB; at most %(limit)s MiB are taken.")
            % {
                "name": name,
                "size": round((file.size or 0) / _MEBIBYTE, 1),
                "limit": limit // _MEBIBYTE,
            }
        )
    if not head:
        raise UserError(_("file: %(name)s is empty.") % {"name": name})
    return artifact_store(
        principal=principal,
        name=name,
        mime_type=sniffed_type(head, stated=file.content_type or ""),
        data=file.read(),
        session_key=session_key,
    )


def sniffed_type(head: bytes, *, stated: str = "") -> str:
    """The type that the first bytes of a file show; `stated` counts only where they fit it."""
    if found := image_type(head):
        return found
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return stated if kind.endswith("zip") and stated.startswith(_ZIP_KINDS) else kind
    if _is_text(head):
        return stated if stated.startswith("text/") and stated != "text/html" else "text/plain"
    return "application/octet-stream"


def _is_text(head: bytes) -> bool:
    if b"\x00" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character may be cut at the end of what was read.
        return len(head) == _SNIFFED and error.start >= len(head) - 3
    return True


def download_type(artifact: Artifact) -> str:
    """The type to answer with: what pages show and play as what it is, all else as plain bytes."""
    shown = artifact.mime_type in IMAGE_TYPES | PLAYED_TYPES
    return artifact.mime_type if shown else "application/octet-stream"
