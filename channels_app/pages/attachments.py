"""Files of a conversation: up from the page, down to their owner."""

from __future__ import annotations

from django.http import FileResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents.core.errors import NotFound, UserError
from agents.selectors import default_agent_slug
from channels_app.pages.door import PageRequest, page, writers_only
from channels_app.uploads import download_type, upload_store
from sessions.artifacts import IMAGE_TYPES, artifact_path
from sessions.keys import session_key_normalise
from sessions.models import Artifact


@page
@require_POST
def attachment_add(request: PageRequest) -> JsonResponse:
    """Stores one file, the form field `file`, and answers with its id."""
    writers_only(request)
    file = request.FILES.get("file")
    if file is None:
        raise UserError(_("file: send one file in the form field named file."))
    key = request.POST.get("sessionKey", "")
    if key:
        key = session_key_normalise(key, default_agent=default_agent_slug())
    artifact = upload_store(principal=request.principal, file=file, session_key=key)
    body = {
        "id": artifact.id,
        "name": artifact.name,
        "mimeType": artifact.mime_type,
        "size": artifact.size,
        "sha256": artifact.sha256,
        "isImage": artifact.mime_type in IMAGE_TYPES,
    }
    return JsonResponse(body, status=201)


@page
@require_GET
def attachment_get(request: PageRequest, artifact_id: str) -> FileResponse:
    """One's own file, always as a download: no uploaded bytes are ever rendered as a page.

    An owner gets everybody's, as they see everybody's runs.
    """
    files = Artifact.objects.filter(pk=artifact_id)
    if not request.principal.is_owner:
        files = files.filter(person=request.person)
    artifact = files.first()
    if artifact is None or not artifact_path(artifact).is_file():
        raise NotFound(_("There is no such file."))
    response = FileResponse(
        artifact_path(artifact).open("rb"),
        as_attachment=True,
        filename=artifact.name,
        content_type=download_type(artifact),
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    # The bytes behind an id never change.
    response["Cache-Control"] = "private, max-age=86400, immutable"
    return response
