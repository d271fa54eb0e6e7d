"""The tool `pdf`: the text of PDFs, or an answer to a question about them."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import ToolError
from agents.core.messages import Image, Text, UserBlock
from agents.core.model import ModelInfo
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.core.untrusted import wrapped
from agents.database import run_db
from tools.arguments import rename_aliases
from tools.media.asking import question_ask
from tools.media.choice import reading_models
from tools.media.pdf import PdfPages, pages_read, pdf_read
from tools.media.places import place_of
from tools.media.sources import Source, SourceReader, megabytes_argument, sources_named
from tools.net.hosts import Resolver, system_resolver

# runtime.md 4.8.
MOST_FILES = 10
_MEGABYTES, _MOST_MEGABYTES = 10.0, 50.0
# Formats of services that read a PDF by themselves, its pictures and tables too.
_NATIVE = frozenset({"anthropic-messages", "google-generative-ai"})
PDF_TYPE = "application/pdf"
_DESCRIPTION = (
    "Read PDFs: files of the workspace, https addresses or data: addresses. With a prompt a model "
    "answers it from them; without one you get the text of the pages, and pictures of pages that "
    "are only scanned. At most 20 pages at once; choose them with pages."
)
_PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "prompt": {"type": "string", "description": "What to find out; else the text is given."},
        "pdf": {"type": "string", "description": "Path or address of a PDF."},
        "pdfs": {
            "type": "array",
            "items": {"type": "string"},
            "maxItems": MOST_FILES,
            "description": "Paths or addresses of several PDFs.",
        },
        "pages": {"type": "string", "description": 'Pages to read, such as "1-3,5".'},
        "model": {"type": "string", "description": "Another model, as provider/model."},
        "maxBytesMb": {"type": "number", "description": "Most megabytes of one file."},
    },
    "additionalProperties": False,
}
_ALIASES = {"max_bytes_mb": "maxBytesMb", "path": "pdf"}


@dataclass(frozen=True, slots=True)
class _Document:
    source: Source
    pages: PdfPages


class PdfTool:
    """Reads PDFs; changes nothing. `resolver` finds the addresses of names."""

    name = "pdf"
    label = "Read PDF"
    description = _DESCRIPTION
    parameters = _PARAMETERS
    repeatable = True
    execution: Literal["parallel", "sequential"] = "parallel"

    def __init__(self, resolver: Resolver = system_resolver) -> None:
        self._resolver = resolver

    def prepare(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments in camel case."""
        return rename_aliases(arguments, _ALIASES)

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """The text, or the model's answer. Raises ToolError."""
        arguments = self.prepare(arguments)
        given = sources_named(arguments, "pdf", "pdfs", most=MOST_FILES)
        if not given:
            raise ToolError("pdf: name a PDF: a path in the workspace or an address.")
        pages = pages_read(arguments.get("pages"))
        prompt = str(arguments.get("prompt") or "").strip()
        wanted = str(arguments.get("model") or "")
        models = await run_db(lambda: list(reading_models(wanted, context.model))) if prompt else []
        most = megabytes_argument(arguments, _MEGABYTES, most=_MOST_MEGABYTES)
        place = await place_of(context)
        reader = SourceReader(place, signal, most, self._resolver)
        documents = []
        for source in await reader.read_all(given, "pdf"):
            read = await pdf_read(source.data, name=source.name, pages=pages, signal=signal)
            documents.append(_Document(source, read))
        if not prompt:
            return _as_text(documents, "")
        whole = () if pages else _whole(prompt, documents)
        for model, blocks in _questions(models, whole, _taken_apart(prompt, documents)):
            if signal.aborted:
                break
            try:
                text = await question_ask(model, blocks, context=context, signal=signal)
            except ToolError:
                continue
            native = blocks is whole
            return _answer(text, documents, model=model.ref, native=native)
        return _as_text(documents, "No model could answer the prompt; this is the text instead.")


PDF = PdfTool()


def _questions(
    models: Sequence[ModelInfo], whole: tuple[UserBlock, ...], apart: tuple[UserBlock, ...]
) -> Iterator[tuple[ModelInfo, tuple[UserBlock, ...]]]:
    """Whom to ask and with what, the best first."""
    has_pictures = any(isinstance(block, Image) for block in apart)
    for model in models:
        if whole and model.api in _NATIVE and "image" in model.input:
            yield model, whole
        if not has_pictures or "image" in model.input:
            yield model, apart


def _whole(prompt: str, documents: Sequence[_Document]) -> tuple[UserBlock, ...]:
    """The files as they are, for services that read them."""
    files = [base64.b64encode(one.source.data).decode("ascii") for one in documents]
    return (*(Image(data, PDF_TYPE) for data in files), Text(prompt))


def _taken_apart(prompt: str, documents: Sequence[_Document]) -> tuple[UserBlock, ...]:
    blocks: list[UserBlock] = []
    for one in documents:
        head = f"PDF {one.source.name}, {one.pages.total} pages"
        blocks.append(Text(wrapped(f"{head}\n\n{one.pages.text}", source="pdf")))
        blocks += [image for _number, image in one.pages.images]
    return (*blocks, Text(prompt))


def _as_text(documents: Sequence[_Document], note: str) -> ToolResult:
    texts = [note] if note else []
    images: list[Image] = []
    for one in documents:
        shown = [number for number, _text in one.pages.texts]
        read = f"pages {shown[0]}-{shown[-1]}" if len(shown) > 1 else f"page {shown[0]}"
        head = f"{one.source.name}: {read} of {one.pages.total}"
        body = one.pages.text
        texts.append(f"{head}\n\n{wrapped(body, source='pdf') if one.source.outside else body}")
        images += [image for _number, image in one.pages.images]
    blocks: tuple[UserBlock, ...] = (Text("\n\n".join(texts)), *images)
    return ToolResult(blocks, details=_details(documents))


def _answer(text: str, documents: Sequence[_Document], *, model: str, native: bool) -> ToolResult:
    details = {**_details(documents), "model": model, "native": native}
    if "externalContent" in details:
        text = wrapped(text, source="pdf")
    return ToolResult((Text(text),), details=details)


def _details(documents: Sequence[_Document]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "pdfs": [
            {
                "source": one.source.name,
                "totalPages": one.pages.total,
                "pages": [number for number, _text in one.pages.texts],
                "pictures": len(one.pages.images),
            }
            for one in documents
        ]
    }
    if any(one.source.outside for one in documents):
        found["externalContent"] = {"untrusted": True, "source": "pdf", "wrapped": True}
    return found
