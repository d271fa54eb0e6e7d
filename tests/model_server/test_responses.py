"""The scripted Responses service as the vendor's own client sees it."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseReasoningItem,
    ResponseStreamEvent,
)
from pydantic import TypeAdapter

from tests.model_server.fixture import ModelServer
from tests.model_server.odd_chat import ODD_CHAT
from tests.model_server.odd_responses import ODD_RESPONSES

EVENT: TypeAdapter[ResponseStreamEvent] = TypeAdapter(ResponseStreamEvent)
QUESTION = '[[think:Hm.]] [[tool:read {"path": "é"}]] [[tool:write {"path": "b"}]] [[parallel]]'


@pytest.fixture
def client(model_server: ModelServer) -> Iterator[openai.OpenAI]:
    """The vendor's client."""
    with openai.OpenAI(api_key="x", base_url=model_server.openai_url, max_retries=0) as client:
        yield client


def test_it_works(client: openai.OpenAI) -> None:
    with client.responses.stream(model="fake-1", input="[[echo:Hello you]]") as stream:
        assert [event.type for event in stream][-1] == "response.completed"
        response = stream.get_final_response()
    assert response.output_text == "Hello you"
    assert response.usage
    assert response.usage.total_tokens > 0


@pytest.mark.parametrize("question", ["[[echo:Hello you]]", QUESTION])
def test_every_event_is_of_the_vendors_type(client: openai.OpenAI, question: str) -> None:
    events = list(client.responses.create(model="fake-1", input=question, stream=True))
    # The client itself is lenient; this is not.
    for event in events:
        EVENT.validate_python(event.to_dict(mode="json"), strict=False)
    assert [event.sequence_number for event in events] == list(range(len(events)))


def test_items_of_the_last_event(client: openai.OpenAI) -> None:
    *_, last = client.responses.create(model="fake-1", input=QUESTION, stream=True)
    assert isinstance(last, ResponseCompletedEvent)
    thought, *calls = last.response.output
    assert isinstance(thought, ResponseReasoningItem)
    assert thought.encrypted_content
    for call in calls:
        assert isinstance(call, ResponseFunctionToolCall)
    assert last.response.status == "completed"


def test_answer_in_one_piece(client: openai.OpenAI) -> None:
    response = client.responses.create(model="fake-1", input="[[echo:hi]]")
    (message,) = response.output
    assert isinstance(message, ResponseOutputMessage)
    assert response.output_text == "hi"


def test_socket_speaks_to_the_vendors_client(client: openai.OpenAI) -> None:
    with client.responses.connect() as connection:
        for word in ("one", "two"):
            connection.response.create(model="fake-1", input=f"[[echo:{word}]]")
            kinds = []
            for event in connection:
                kinds.append(event.type)
                if event.type == "response.completed":
                    assert event.response.output_text == word
                    break
            assert kinds[0] == "response.created"
            assert "response.output_text.delta" in kinds


def test_refusal_is_the_vendors_error(client: openai.OpenAI) -> None:
    with pytest.raises(openai.RateLimitError) as caught:
        client.responses.create(model="fake-1", input="[[status:429]]", stream=True)
    assert caught.value.code == "rate_limit_exceeded"


def test_odd_streams_are_those_of_the_other_formats() -> None:
    assert set(ODD_CHAT) - set(ODD_RESPONSES) == {"lost_call"}
