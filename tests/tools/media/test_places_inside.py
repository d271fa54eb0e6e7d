"""Tools of media read and write inside of a real sandbox."""

from __future__ import annotations

import base64

import pytest

from tests.tools.media.papers import written
from tests.tools.media.test_places import executed
from tests.tools.sandbox.conftest import Sandbox, engine, sandbox
from tools.builtin.pdf import PDF
from tools.media.places import SandboxPlace, place_of

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]
__all__ = ["engine", "sandbox"]


async def test_it_works(sandbox: Sandbox) -> None:
    context = sandbox()
    place = await place_of(context)
    assert isinstance(place, SandboxPlace)
    shown = place.write("media/a.pdf", written("Only inside. " * 20))
    assert shown == "media/a.pdf"
    assert not (context.workspace / "media").exists()
    found = place.read(shown, 10)
    assert found.data is None
    result = await executed(PDF, context, {"pdf": "media/a.pdf"})
    assert result.details["pdfs"][0]["source"] == "media/a.pdf"
    inline = base64.b64encode(written("Inline. " * 40)).decode()
    result = await executed(PDF, context, {"pdf": f"data:application/pdf;base64,{inline}"})
    assert result.details["pdfs"][0]["totalPages"] == 1
