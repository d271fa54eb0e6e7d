"""The tool `pdf`: text, scanned pages, answers of models; nothing it reads can harm the gateway."""

from __future__ import annotations

import asyncio
import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Picture

from agents.core.abort import AbortSignal
from agents.core.messages import Image, blocks_text
from tests.model_server.fixture import ModelServer
from tests.tools.media.conftest import Run, Settle, failure_of
from tests.tools.media.papers import encrypted, scanned, without_pages, written
from tools.availability import tools_unavailable
from tools.builtin.pdf import PDF
from tools.media.pdf import MOST_PIXELS, pages_read

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "The quick brown fox jumps over the lazy dog and runs away. " * 5


async def test_it_works(run: Run, workspace: Path) -> None:
    (workspace / "a.pdf").write_bytes(written(f"First. {LONG}", f"Second. {LONG}"))
    result = await run(PDF, pdf="a.pdf")
    text = blocks_text(result.content)
    assert text.startswith("a.pdf: pages 1-2 of 2")
    assert "[Page 1]\nFirst. The quick brown fox" in text
    assert "[Page 2]\nSecond." in text
    assert len(result.content) == 1
    assert result.details["pdfs"] == [
        {"source": "a.pdf", "totalPages": 2, "pages": [1, 2], "pictures": 0}
    ]


async def test_some_pages_of_several(run: Run, workspace: Path) -> None:
    (workspace / "a.pdf").write_bytes(written(*(f"Page number {n}. {LONG}" for n in range(1, 31))))
    inline = base64.b64encode(written(*(f"Other {n}. {LONG}" for n in range(1, 6)))).decode()
    result = await run(PDF, pdfs=["a.pdf", f"data:application/pdf;base64,{inline}"], pages="5, 2-3")
    text = blocks_text(result.content)
    assert [one["pages"] for one in result.details["pdfs"]] == [[2, 3, 5], [2, 3, 5]]
    assert "Page number 3" in text
    assert "Page number 4" not in text
    whole = await run(PDF, pdf="a.pdf")
    assert whole.details["pdfs"][0]["pages"] == list(range(1, 21))
    assert "of 30" in blocks_text(whole.content)


async def test_scanned_pages_come_as_pictures(run: Run, workspace: Path) -> None:
    (workspace / "a.pdf").write_bytes(scanned(2, (4000, 3000)))
    result = await run(PDF, pdf="a.pdf")
    _text, *pictures = result.content
    assert len(pictures) == 2
    for block in pictures:
        assert isinstance(block, Image)
        shown = Picture.open(io.BytesIO(base64.b64decode(block.data)))
        assert shown.width * shown.height <= MOST_PIXELS * 1.01


async def test_a_service_reads_the_file_itself(
    services: ModelServer, settle: Settle, run: Run, workspace: Path
) -> None:
    data = written(LONG)
    (workspace / "a.pdf").write_bytes(data)
    await settle(agents={"defaults": {"pdfModel": "anthropic/claude-sonnet-5"}})
    result = await run(PDF, pdf="a.pdf", prompt="Who jumps? [[echo:a fox]]")
    assert blocks_text(result.content) == "a fox"
    assert result.details["native"] is True
    document, question = services.requests()[-1]["body"]["messages"][-1]["content"]
    assert document == {
        "type": "document",
        "source": {
            "type": "base64",
            "media_type": "application/pdf",
            "data": base64.b64encode(data).decode(),
        },
    }
    assert question["text"].startswith("Who jumps?")


async def test_google_reads_the_file_itself(
    services: ModelServer, run: Run, workspace: Path
) -> None:
    (workspace / "a.pdf").write_bytes(written(LONG))
    result = await run(PDF, pdf="a.pdf", prompt="[[echo:ok]]", model="google/gemini-3.8-flash")
    assert result.details["native"] is True
    parts = services.requests()[-1]["body"]["contents"][-1]["parts"]
    assert parts[0]["inlineData"]["mimeType"] == "application/pdf"


async def test_others_get_the_text(services: ModelServer, run: Run, workspace: Path) -> None:
    (workspace / "a.pdf").write_bytes(written(LONG))
    result = await run(PDF, pdf="a.pdf", prompt="[[echo:a fox]]", model="openai/gpt-6-sol")
    assert (blocks_text(result.content), result.details["native"]) == ("a fox", False)
    sent = str(services.requests()[-1]["body"]["messages"])
    assert "quick brown fox" in sent
    assert "EXTERNAL_UNTRUSTED_CONTENT" in sent


async def test_others_get_pictures_of_scans(
    services: ModelServer, run: Run, workspace: Path
) -> None:
    (workspace / "a.pdf").write_bytes(scanned())
    await run(PDF, pdf="a.pdf", prompt="[[echo:red]]", model="openai/gpt-6-sol")
    parts = services.requests()[-1]["body"]["messages"][-1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "text"]


async def test_some_pages_are_never_sent_whole(
    services: ModelServer, run: Run, workspace: Path
) -> None:
    (workspace / "a.pdf").write_bytes(written(f"Public. {LONG}", f"Secret. {LONG}"))
    model = "anthropic/claude-sonnet-5"
    result = await run(PDF, pdf="a.pdf", pages="1", prompt="[[echo:ok]]", model=model)
    assert result.details["native"] is False
    assert "Secret" not in str(services.requests()[-1]["body"])


async def test_the_text_when_nobody_answers(
    services: ModelServer, settle: Settle, run: Run, workspace: Path
) -> None:
    (workspace / "a.pdf").write_bytes(written(LONG))
    await settle(agents={"defaults": {"pdfModel": "openai/gpt-6-sol"}})
    result = await run(PDF, pdf="a.pdf", prompt="[[status:500]]")
    text = blocks_text(result.content)
    assert text.startswith("No model could answer")
    assert "quick brown fox" in text


async def test_from_the_web_it_is_marked(
    services: ModelServer, settle: Settle, run: Run, workspace: Path
) -> None:
    policy = {"allowedHostnames": ["127.0.0.1"]}
    await settle(tools={"web": {"fetch": {"ssrfPolicy": policy}}})
    assert "is no PDF" in await failure_of(run(PDF, pdf=f"{services.url}/__picture"))
    await settle()
    text = await failure_of(run(PDF, pdf=f"{services.url}/__picture"))
    assert "public addresses only" in text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (encrypted(), "encrypted; a password is needed"),
        (without_pages(), "has no pages"),
        (b"%PDF-1.7\nnothing", "damaged, or no PDF"),
        (written(LONG)[:300], "damaged, or no PDF"),
        (b"hello", "is no PDF"),
        (b"", "is no PDF"),
        (b"%PDF-1.4\n" + bytes(range(256)) * 500, "damaged, or no PDF"),
    ],
)
async def test_what_cannot_be_read(run: Run, workspace: Path, data: bytes, words: str) -> None:
    (workspace / "a.pdf").write_bytes(data)
    assert words in await failure_of(run(PDF, pdf="a.pdf"))


async def test_what_cannot_be(run: Run, workspace: Path) -> None:
    (workspace / "a.pdf").write_bytes(written(LONG))
    (workspace / "big.pdf").write_bytes(written(LONG) + bytes(1_100_000))
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "pdf: name a PDF"),
        ({"pdf": "../a.pdf"}, "outside the workspace"),
        ({"pdf": "big.pdf", "maxBytesMb": 1}, "at most 1,048,576"),
        ({"pdf": "a.pdf", "pages": "2"}, "has 1 pages, so there is no page 2"),
        ({"pdf": "a.pdf", "pages": "1-30"}, "at most 20"),
        ({"pdf": "a.pdf", "pages": "three"}, "no range of pages"),
        ({"pdf": "a.pdf", "pages": [1]}, "expected text"),
        ({"pdfs": [f"{n}.pdf" for n in range(11)]}, "at most 10"),
        ({"pdf": "a.pdf", "prompt": "x", "model": "nobody/x"}, "nobody"),
    ]
    for given, words in cases:
        assert words in await failure_of(run(PDF, **given)), given


async def test_a_stopped_turn(run: Run, workspace: Path) -> None:
    (workspace / "a.pdf").write_bytes(scanned(20, (2000, 2000)))
    signal = AbortSignal()
    working = asyncio.ensure_future(run(PDF, signal, pdf="a.pdf"))
    asyncio.get_running_loop().call_later(0.05, signal.abort)
    assert await failure_of(working) == "aborted"


def test_ranges_of_pages() -> None:
    assert pages_read("1-3,5") == (1, 2, 3, 5)
    assert pages_read(" 7 , 2-2,7") == (2, 7)
    assert pages_read(None) == pages_read("") == ()
    assert pages_read("1-20") == tuple(range(1, 21))


def test_it_is_always_offered() -> None:
    assert "pdf" not in dict(tools_unavailable())
