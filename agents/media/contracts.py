"""What is asked of services that make pictures, speech and videos, and what they give. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from agents.core.model import ModelInfo


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A file as bytes. `mime_type` is what its maker says; whoever keeps it looks at the bytes."""

    data: bytes = field(repr=False)
    mime_type: str


@dataclass(frozen=True, slots=True)
class ImageOrder:
    """Pictures that somebody wants. Empty values were not given.

    `images` are what to change or to go by. `size` is WIDTHxHEIGHT, `aspect_ratio` W:H,
    `resolution` 1K, 2K or 4K, `output_format` png, jpeg or webp; `count` is 1 to 4. `openai`
    holds fields that go into a request in OpenAI's format as they are.
    """

    prompt: str
    images: tuple[MediaFile, ...] = ()
    size: str = ""
    aspect_ratio: str = ""
    resolution: str = ""
    quality: str = ""
    output_format: str = ""
    background: str = ""
    count: int = 1
    openai: Mapping[str, object] = field(default_factory=dict)


class ImageMaker(Protocol):
    """A service that makes pictures. `default_model` is asked when nobody chose one.

    `options` are the fields of an order, besides prompt, images and count, that it understands.
    """

    default_model: str
    options: frozenset[str]

    async def make(self, order: ImageOrder, model: ModelInfo) -> Sequence[MediaFile]:
        """The pictures, at least one. Raises ProviderError, and nothing else."""
        ...


@dataclass(frozen=True, slots=True)
class SpeechOrder:
    """A text to be read aloud. `voice` is the vendor's own name, "" its default."""

    text: str
    voice: str = ""
    output_format: Literal["mp3", "opus"] = "mp3"


class SpeechMaker(Protocol):
    """A service that reads texts aloud."""

    default_model: str

    async def speak(self, order: SpeechOrder, model: ModelInfo) -> MediaFile:
        """The speech. Raises ProviderError, and nothing else."""
        ...


@dataclass(frozen=True, slots=True)
class VideoOrder:
    """A video that somebody wants. Empty values and 0 seconds were not given."""

    prompt: str
    images: tuple[MediaFile, ...] = ()
    aspect_ratio: str = ""
    resolution: str = ""
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class VideoState:
    """How a video fares: `working`, `done` (then `files` has it), or `failed` for the `reason`."""

    status: Literal["working", "done", "failed"]
    files: tuple[MediaFile, ...] = ()
    reason: str = ""


class VideoMaker(Protocol):
    """A service that makes videos, which takes minutes."""

    default_model: str

    async def start(self, order: VideoOrder, model: ModelInfo) -> str:
        """The service's name of the job that was begun. Raises ProviderError."""
        ...

    async def check(self, job: str, model: ModelInfo) -> VideoState:
        """How the job `job` fares. Raises ProviderError when that could not be found out."""
        ...
