"""Files up and down."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from channels_app.uploads import sniffed_type
from sessions.artifacts import MAX_BYTES, MAX_IMAGE_BYTES
from sessions.models import Artifact
from tests.channels_app.pages.conftest import Visitor

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def up(
    visitor: Visitor, data: bytes, name: str = "a.bin", kind: str = ""
) -> tuple[int, dict[str, Any]]:
    file = SimpleUploadedFile(name, data, kind)
    answer = visitor.client.post(
        "/chat/attachments/", {"file": file}, headers={"accept": "application/json"}
    )
    return answer.status_code, answer.json()


def test_it_works(owner: Visitor) -> None:
    status, body = up(owner, PNG, "plot.png", "image/png")

    assert status == 201
    assert body["mimeType"] == "image/png"
    assert body["isImage"] is True
    answer = owner.client.get(f"/chat/attachments/{body['id']}/")
    assert b"".join(answer) == PNG
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="plot.png"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_page_is_never_rendered(owner: Visitor) -> None:
    _, body = up(owner, b"<script>alert(1)</script>", "x.html", "text/html")

    answer = owner.client.get(f"/chat/attachments/{body['id']}/")

    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_a_picture_is_known_by_its_bytes(owner: Visitor) -> None:
    assert up(owner, b"<svg onload=alert(1)>", "x.png", "image/png")[1]["isImage"] is False
    assert up(owner, PNG, "x.txt", "text/plain")[1]["isImage"] is True


def test_files_are_for_their_owner_only(owner: Visitor, member: Visitor) -> None:
    _, body = up(owner, b"mine", "a.txt")

    assert member.client.get(f"/chat/attachments/{body['id']}/").status_code == 404
    assert owner.client.get("/chat/attachments/01jd0000000000000000000000/").status_code == 404


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (PNG + bytes(MAX_IMAGE_BYTES), "at most 6 MiB"),
        (bytes(MAX_BYTES + 1), "at most 20 MiB"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_reason(
    owner: Visitor, data: bytes, words: str
) -> None:
    status, body = up(owner, data)

    assert status in (400, 429)
    assert words in body["error"]["message"]
    assert body["error"]["message"].startswith("file:")
    assert not Artifact.objects.exists()


def test_a_request_without_a_file_says_so(owner: Visitor) -> None:
    answer = owner.client.post("/chat/attachments/", headers={"accept": "application/json"})

    assert answer.status_code == 400
    assert "form field named file" in answer.json()["error"]["message"]


def test_viewers_store_nothing(viewer: Visitor) -> None:
    assert up(viewer, b"x")[0] == 403


@pytest.mark.parametrize(
    ("head", "stated", "found"),
    [
        (b"%PDF-1.7", "text/plain", "application/pdf"),
        (b"PK\x03\x04", "application/vnd.oasis.opendocument.text", "application/vnd.oasis"),
        (b"PK\x03\x04", "image/png", "application/zip"),
        (b"name,size\n", "text/csv", "text/csv"),
        ("grüße".encode(), "image/png", "text/plain"),
        (b"<html>", "text/html", "text/plain"),
        (b"\x00\x01\x02", "text/plain", "application/octet-stream"),
        (b"GIF89a", "", "image/gif"),
    ],
)
def test_types_are_judged_by_the_bytes(head: bytes, stated: str, found: str) -> None:
    assert sniffed_type(head, stated=stated).startswith(found)


def test_a_character_cut_at_the_end_of_the_sample_is_still_text() -> None:
    assert sniffed_type("é".encode() * 2048 + b"") == "text/plain"
    assert sniffed_type(b"a" + "é".encode() * 2047 + b"\xc3") == "text/plain"


def test_a_session_that_cannot_be_is_refused(owner: Visitor) -> None:
    file = SimpleUploadedFile("a.txt", b"a")

    answer = owner.client.post("/chat/attachments/", {"file": file, "sessionKey": "a\x00b"})

    assert answer.status_code == 400
    assert not Artifact.objects.exists()
