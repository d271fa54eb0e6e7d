"""The settings of media in the configuration document act, and wrong ones are refused."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from agents.config.issues import ConfigInvalid
from agents.database import run_db
from agents.selectors import agent_defaults
from tests.model_server.fixture import ModelServer
from tests.tools.media.conftest import Run, Settle, drawn, failure_of
from tools.builtin.image import IMAGE
from tools.media.settings import tts_settings

pytestmark = pytest.mark.django_db(transaction=True)


async def test_it_works(settle: Settle) -> None:
    defaults = {
        "imageModel": "openai/gpt-6-sol",
        "pdfModel": {"primary": "openai/gpt-6-sol", "fallbacks": ["google/gemini-3.8-flash"]},
        "mediaMaxMb": 5,
        "imageMaxDimensionPx": 800,
    }
    assert await settle(agents={"defaults": defaults}) == []
    found = await run_db(agent_defaults)
    assert found.image_model.primary == "openai/gpt-6-sol"
    assert found.pdf_model.fallbacks == ["google/gemini-3.8-flash"]
    assert (found.media_max_mb, found.image_max_dimension_px) == (5, 800)
    assert found.image_generation_model.primary == ""
    assert (await run_db(tts_settings)).max_text_length == 4000


async def test_sizes_act(services: ModelServer, settle: Settle, run: Run, workspace: Path) -> None:
    own = {"imageModel": "openai/gpt-6-sol", "mediaMaxMb": 0.5, "imageMaxDimensionPx": 64}
    await settle(agents={"defaults": own})
    drawn(workspace / "a.png", (640, 320))
    result = await run(IMAGE, image="a.png")
    assert result.details["images"][0]["width"] == 64
    buffer = io.BytesIO()
    Image.effect_noise((1000, 1000), 100).save(buffer, "PNG")
    (workspace / "b.png").write_bytes(buffer.getvalue())
    assert "at most 524,288" in await failure_of(run(IMAGE, image="b.png"))


@pytest.mark.parametrize(
    ("defaults", "words"),
    [
        ({"imageModel": "openai/"}, "imageModel"),
        ({"pdfModel": {"first": "x"}}, "pdfModel"),
        ({"mediaMaxMb": 0}, "mediaMaxMb"),
        ({"imageMaxDimensionPx": 10}, "imageMaxDimensionPx"),
        ({"videoGenerationModel": 7}, "videoGenerationModel"),
    ],
)
async def test_what_cannot_be(settle: Settle, defaults: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigInvalid, match=words):
        await settle(agents={"defaults": defaults})


async def test_what_has_no_effect_is_told(settle: Settle) -> None:
    (warning,) = await settle(messages={"tts": {"auto": "always"}})
    assert "messages.tts.auto" in warning
