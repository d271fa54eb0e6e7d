"""The body of POST /v1/chat/completions. Pure.

Unknown fields are passed over, as clients of this API expect; what would change the answer and
cannot be done here (several choices, the caller's own tools) is refused by name.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from channels_app.gateway.validation import error_text
from channels_app.openai_api.errors import ApiError


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore")


class ImageUrl(_Loose):
    """Where an image is; only data URIs are read."""

    url: str


class Part(_Loose):
    """One piece of a message."""

    type: str
    text: str = ""
    image_url: ImageUrl | None = None


class Message(_Loose):
    """One message of the conversation as the caller has it."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None
    name: str | None = None

    @property
    def text(self) -> str:
        """The text, parts joined by newlines."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.text)

    @property
    def image_urls(self) -> list[str]:
        """The addresses of the images in it."""
        if not isinstance(self.content, list):
            return []
        return [part.image_url.url for part in self.content if part.image_url is not None]


class StreamOptions(_Loose):
    """Whether the stream ends with the token counts."""

    include_usage: bool = False


class CompletionRequest(_Loose):
    """What a caller may ask for."""

    model: str = "openclaw"
    messages: Annotated[list[Message], Field(max_length=5000)] = Field(default_factory=list)
    stream: bool = False
    stream_options: StreamOptions | None = None
    user: Annotated[str, Field(max_length=512)] | None = None
    n: int | None = None
    tools: list[Any] | None = None
    tool_choice: Any = None
    reasoning_effort: str | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None

    @property
    def wants_usage(self) -> bool:
        """Whether a stream ends with the token counts."""
        return self.stream_options is not None and self.stream_options.include_usage


def completion_request(body: bytes) -> CompletionRequest:
    """The checked request. Raises ApiError 400 that names the field."""
    try:
        request = CompletionRequest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            raise ApiError(400, "The body is not valid JSON.") from None
        raise ApiError(400, f"Invalid request {error_text(error)}.") from None
    if not any(m.role == "user" and (m.text.strip() or m.image_urls) for m in request.messages):
        raise ApiError(400, "Missing user message in `messages`.", param="messages")
    if request.n is not None and request.n != 1:
        raise ApiError(400, "`n` must be 1: an agent gives one answer.", param="n")
    if request.tools and request.tool_choice != "none":
        text = "`tools` is not supported: the agent has tools of its own. Leave it out."
        raise ApiError(400, text, param="tools")
    return request
