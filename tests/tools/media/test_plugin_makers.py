"""Plugins bring makers of media for providers of the same name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.core.model import ModelInfo
from agents.media.contracts import ImageOrder, MediaFile
from agents.plugins.sinks import SINKS
from tests.model_server.fixture import ModelServer
from tests.model_server.media import png
from tests.tools.media.conftest import Run, Settle, failure_of
from tools.builtin.image_generate import IMAGE_GENERATE

pytestmark = pytest.mark.django_db(transaction=True)


class Acme:
    """Draws one picture, whatever is ordered."""

    default_model = "brush-1"
    options: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.orders: list[tuple[ImageOrder, ModelInfo]] = []

    async def make(self, order: ImageOrder, model: ModelInfo) -> Sequence[MediaFile]:
        """One picture."""
        self.orders.append((order, model))
        return [MediaFile(png(), "image/png")]


@pytest.fixture
def acme() -> Iterator[Acme]:
    maker = Acme()
    undo = SINKS.get("image_maker")("painters", "acme", maker)
    yield maker
    undo()


def provider() -> dict[str, Any]:
    """A provider that nobody else knows."""
    own = {"baseUrl": "https://acme.example/v1", "apiKey": "acme-secret"}
    return {"models": {"providers": {"acme": own}}}


async def test_it_works(acme: Acme, settle: Settle, run: Run, workspace: Path) -> None:
    await settle(**provider())
    result = await run(IMAGE_GENERATE, prompt="a barn", quality="high")
    assert result.details["model"] == "acme/brush-1"
    assert result.details["ignored"] == ["quality"]
    ((order, model),) = acme.orders
    assert (order.prompt, model.base_url) == ("a barn", "https://acme.example/v1")
    assert model.api_key == "acme-secret"


async def test_the_products_own_stay(acme: Acme, services: ModelServer) -> None:
    with pytest.raises(ValueError, match="exists already"):
        SINKS.get("image_maker")("painters", "openai", acme)


async def test_without_the_plugin_it_is_gone(settle: Settle, run: Run) -> None:
    await settle(**provider())
    text = await failure_of(run(IMAGE_GENERATE, prompt="x", model="acme/brush-1"))
    assert "acme" in text


@pytest.mark.parametrize("kind", ["image_maker", "speech_maker"])
def test_kinds(kind: str) -> None:
    undo = SINKS.get(kind)("painters", "acme", object())
    undo()
